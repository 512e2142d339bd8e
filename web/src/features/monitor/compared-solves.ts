import type { MonitoredSubmission } from '@capstan/contract/monitor'

/** Challenge that at least one of the two teams solved. */
export type ComparedSolve = Readonly<{
  challengeId: number
  challenge: string
  /** Time of the team's first correct flag. Undefined if the team has none. */
  one?: string
  other?: string
  /** Time between both solves, in ms. Undefined if only one team solved the challenge. */
  apartMs?: number
}>

/**
 * Compares the first correct flags of two teams, by challenge. Challenges that both teams solved are first, sorted by time
 * difference, shortest first. Challenges that only one team solved are last.
 */
export function compareSolves(
  one: readonly MonitoredSubmission[],
  other: readonly MonitoredSubmission[],
): readonly ComparedSolve[] {
  const compared = new Map<number, ComparedSolve>()
  const add = (side: 'one' | 'other', { challengeId, challenge, time }: MonitoredSubmission) => {
    const known = compared.get(challengeId) ?? { challengeId, challenge }
    const first = known[side]
    if (first === undefined || Date.parse(time) < Date.parse(first)) compared.set(challengeId, { ...known, [side]: time })
  }
  for (const each of one) add('one', each)
  for (const each of other) add('other', each)
  return [...compared.values()]
    .map((solve) =>
      solve.one === undefined || solve.other === undefined
        ? solve
        : { ...solve, apartMs: Math.abs(Date.parse(solve.one) - Date.parse(solve.other)) },
    )
    .sort(
      (a, b) =>
        (a.apartMs ?? Number.POSITIVE_INFINITY) - (b.apartMs ?? Number.POSITIVE_INFINITY) ||
        a.challenge.localeCompare(b.challenge),
    )
}
