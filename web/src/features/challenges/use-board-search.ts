import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { useMemo } from 'react'
import type { PatternRunner, SearchProblem } from '../../lib/name-search.ts'
import { useNameSearch } from '../../lib/use-name-search.ts'
import type { Marks } from './board.ts'

export type BoardSearch = Readonly<{
  found: ReadonlySet<number>
  problem: SearchProblem | undefined
}>

function nameOf({ name }: { readonly name: string }) {
  return name
}

/** Returns the challenges whose title or tags match the search. */
export function useBoardSearch(
  challenges: PlayerBoard['challenges'] | undefined,
  marks: Marks,
  typed: string,
  start?: () => PatternRunner,
): BoardSearch {
  const all = useMemo(
    () =>
      Object.values(challenges ?? {})
        .flat()
        .flatMap(({ id, title }) => [title, ...(marks.get(id)?.tags ?? [])].map((name) => ({ id, name }))),
    [challenges, marks],
  )
  const { found, problem } = useNameSearch(all, nameOf, typed, start)
  return useMemo(() => ({ found: new Set(found.map(({ id }) => id)), problem }), [found, problem])
}
