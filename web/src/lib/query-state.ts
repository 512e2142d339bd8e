import { useCallback, useEffect, useRef, useState } from 'react'
import { type Location, useLocation, useSearchParams } from 'react-router'

type Patch = Readonly<Record<string, string | undefined>>

function patched(known: URLSearchParams, patch: Patch) {
  const next = new URLSearchParams(known)
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}

/**
 * Parameters that were set since the last render of the address. They are stored, because otherwise the second of two changes
 * between renders would undo the first change.
 */
const written = new WeakMap<Location, URLSearchParams>()

/** Stores the settings of a screen in the address. A change replaces the history entry, and empty values are removed. */
export function useQueryState() {
  const [params, setParams] = useSearchParams()
  const location = useLocation()
  const set = useCallback(
    (patch: Patch) => {
      const next = patched(written.get(location) ?? params, patch)
      written.set(location, next)
      setParams(next, { replace: true, preventScrollReset: true })
    },
    [location, params, setParams],
  )
  return { get: useCallback((name: string) => params.get(name) ?? '', [params]), set }
}

/** Stores a page number in the address. Page numbers start at 1 in the address, and at 0 in the code. */
export function useQueryPage() {
  const { get, set } = useQueryState()
  const shown = get('page')
  const page = /^[1-9]\d{0,6}$/.test(shown) ? Number(shown) - 1 : 0
  const setPage = useCallback((next: number) => set({ page: next === 0 ? undefined : String(next + 1) }), [set])
  return { page, setPage }
}

/**
 * Stores one of several values in the address. The first value is the default and also replaces unknown values. Choosing another
 * value returns to the first page.
 */
export function useQueryChoice<Value extends string>(name: string, values: readonly [Value, ...Value[]]) {
  const { get, set } = useQueryState()
  const value = values.find((each) => each === get(name)) ?? values[0]
  const setValue = useCallback(
    (next: Value) => set({ [name]: next === values[0] ? undefined : next, page: undefined }),
    [name, set, values],
  )
  return { value, setValue }
}

/**
 * Stores the order of a list in the address. The default is `values[0]`, descending. Choosing another order returns to the first
 * page.
 */
export function useQueryOrder<Value extends string>(values: readonly [Value, ...Value[]]) {
  const { get, set } = useQueryState()
  const by = values.find((each) => each === get('sort')) ?? values[0]
  const descending = get('order') === '' ? by === values[0] : get('order') === 'descending'
  const onOrder = useCallback(
    (next: string, isDescending: boolean) =>
      set({
        sort: next === values[0] ? undefined : next,
        order: isDescending === (next === values[0]) ? undefined : isDescending ? 'descending' : 'ascending',
        page: undefined,
      }),
    [set, values],
  )
  return { by, descending, onOrder }
}

/**
 * Stores the text of a search box. `typed` changes immediately. `settled` is the parameter `q` in the URL, and changes when the
 * visitor pauses.
 */
export function useQuerySearch(delayMs = 250) {
  const { get, set } = useQueryState()
  const settled = get('q')
  const [typed, setTyped] = useState(settled)
  /**
   * Texts that this search box has written to the URL. If the URL contains a text that is not in this list, for example after the
   * visitor goes back, this text replaces the text in the box.
   */
  const written = useRef<string[]>([])
  useEffect(() => {
    const at = written.current.indexOf(settled)
    if (at >= 0) written.current.splice(0, at + 1)
    else setTyped(settled)
  }, [settled])
  useEffect(() => {
    if (typed.trim() === settled) return
    const timer = setTimeout(() => {
      written.current.push(typed.trim())
      set({ q: typed.trim(), page: undefined })
    }, delayMs)
    return () => clearTimeout(timer)
  }, [typed, settled, delayMs, set])
  return { typed, setTyped, settled }
}
