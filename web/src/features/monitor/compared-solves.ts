import type { MonitoredSubmission } from '@capstan/contract/monitor'

/** A challenge that at least one of two teams solved. */
export type ComparedSolve = Readonly<{
  challengeId: number
  challenge: string
  /** Instant of the first right flag of each team. Absent: the team did not solve it. */
  one?: string
  other?: string
  /** Time between both, in ms. Absent unless both solved it. */
  apartMs?: number
}>

/** Right flags of two teams, by challenge. The list begins with solves close to each other and ends with solves of one team. */
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
