import type { BoardChallenge, PlayerBoard } from '@capstan/contract/scoreboard'
import { useMemo } from 'react'
import type { PatternRunner, SearchProblem } from '../../lib/name-search.ts'
import { useNameSearch } from '../../lib/use-name-search.ts'

export interface BoardSearch {
  /** Challenges that match. */
  readonly found: ReadonlySet<number>
  readonly problem: SearchProblem | undefined
}

const titleOf = ({ title }: BoardChallenge) => title

/** Challenges of a board whose title matches what was typed. */
export function useBoardSearch(
  challenges: PlayerBoard['challenges'] | undefined,
  typed: string,
  start?: () => PatternRunner,
): BoardSearch {
  const all = useMemo(() => Object.values(challenges ?? {}).flat(), [challenges])
  const { found, problem } = useNameSearch(all, titleOf, typed, start)
  return useMemo(() => ({ found: new Set(found.map(({ id }) => id)), problem }), [found, problem])
}
