import { useEffect, useMemo, useState } from 'react'
import { type SearchProblem, type SearchResult, searchAtOnce, searchByPattern, startWorker } from './name-search.ts'

interface Answer<Item> {
  readonly items: readonly Item[]
  readonly result: SearchResult
}

export interface NameSearch<Item> {
  readonly found: readonly Item[]
  /** Why nothing was searched for; then everything is found. */
  readonly problem: SearchProblem | undefined
}

/**
 * Items whose name matches what was typed, as text or as a regular expression. While an expression is at work, what was found
 * before stays.
 * @param nameOf a function that stays the same between renders
 */
export function useNameSearch<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  typed: string,
  start = startWorker,
): NameSearch<Item> {
  const names = useMemo(() => items.map(nameOf), [items, nameOf])
  const atOnce = useMemo(() => searchAtOnce(typed, names), [typed, names])
  const [byPattern, setByPattern] = useState<Answer<Item>>()
  const isPattern = atOnce === 'pattern'
  useEffect(() => {
    if (!isPattern) return
    const stop = new AbortController()
    void searchByPattern(typed, names, start(), stop.signal).then((result) => {
      if (!stop.signal.aborted) setByPattern({ items, result })
    })
    return () => stop.abort()
  }, [isPattern, typed, names, items, start])

  return useMemo(() => {
    const answer = atOnce === 'pattern' ? byPattern : atOnce && { items, result: atOnce }
    if (!answer) return { found: items, problem: undefined }
    if ('problem' in answer.result) return { found: items, problem: answer.result.problem }
    return { found: answer.result.found.flatMap((index) => answer.items[index] ?? []), problem: undefined }
  }, [atOnce, byPattern, items])
}
