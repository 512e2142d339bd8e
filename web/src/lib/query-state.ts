import { useCallback, useEffect, useRef, useState } from 'react'
import { type Location, useLocation, useSearchParams } from 'react-router'

type Patch = Readonly<Record<string, string | undefined>>

const patched = (known: URLSearchParams, patch: Patch) => {
  const next = new URLSearchParams(known)
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}

/** What was written since an address was last shown: the library's own setter forgets the first of two changes between two renderings. */
const written = new WeakMap<Location, URLSearchParams>()

/** What is chosen on a screen, kept in the address. A change replaces the entry of the history; empty values leave the address. */
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

/** A page number in the address, shown from 1, used from 0. */
export function useQueryPage() {
  const { get, set } = useQueryState()
  const shown = get('page')
  const page = /^[1-9]\d{0,6}$/.test(shown) ? Number(shown) - 1 : 0
  const setPage = useCallback((next: number) => set({ page: next === 0 ? undefined : String(next + 1) }), [set])
  return { page, setPage }
}

/** One of several values in the address, the first of them when absent or unknown. A change goes back to the first page. */
export function useQueryChoice<Value extends string>(name: string, values: readonly [Value, ...Value[]]) {
  const { get, set } = useQueryState()
  const value = values.find((each) => each === get(name)) ?? values[0]
  const setValue = useCallback(
    (next: Value) => set({ [name]: next === values[0] ? undefined : next, page: undefined }),
    [name, set, values],
  )
  return { value, setValue }
}

/** The order of a list in the address; absent: `values[0]`, the greatest first. A change goes back to the first page. */
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

/** What is typed into a search box: `typed` at once, `settled` (in the address as `q`) when the visitor stops. */
export function useQuerySearch(delayMs = 250) {
  const { get, set } = useQueryState()
  const settled = get('q')
  const [typed, setTyped] = useState(settled)
  /** On the way into the address. What comes from elsewhere (a tab, the history) replaces what is typed. */
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
