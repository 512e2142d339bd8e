import { useEffect, useMemo, useState } from 'react'
import { type SearchProblem, type SearchResult, searchByPattern, searchSynchronously, startPatternWorker } from './name-search.ts'

type Answer<Item> = Readonly<{
  items: readonly Item[]
  result: SearchResult
}>

export type NameSearch<Item> = Readonly<{
  found: readonly Item[]
  /** Reason why the search did not run. If it did not run, all items match. */
  problem: SearchProblem | undefined
}>

/**
 * Returns the items whose name matches the entered text or regular expression. While an expression runs, returns the previous
 * result.
 * @param nameOf function that returns the name of an item. It must be the same function in every render
 */
export function useNameSearch<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  typed: string,
  start = startPatternWorker,
): NameSearch<Item> {
  const names = useMemo(() => items.map(nameOf), [items, nameOf])
  const atOnce = useMemo(() => searchSynchronously(typed, names), [typed, names])
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
