import type { Scoreboard, ScoreboardTeam, SolvedChallenge } from '@capstan/contract/scoreboard'

export type FrozenBoard = Readonly<{
  /** Row of the team on the frozen board. Undefined if the team joined after the freeze. */
  row: ScoreboardTeam | undefined
  /** Values of challenges on the frozen board, by id. */
  values: ReadonlyMap<number, number>
}>

export function mapChallengeValuesById(challenges: Scoreboard['challenges']): Map<number, number> {
  return new Map(
    Object.values(challenges)
      .flat()
      .map(({ id, score }) => [id, score]),
  )
}

/**
 * Returns the solves of a team as the team sees them during a freeze. A solve after the freeze has the frozen value of its
 * challenge and no blood. If the team lacks the right to points, such a solve has no points.
 */
export function ownSolvesDuringFreeze({ row, values }: FrozenBoard) {
  const solvedBefore = new Map(row?.solvedChallenges.map((solve) => [solve.id, solve]))
  return ({ id, time, userName }: Pick<SolvedChallenge, 'id' | 'time' | 'userName'>, hasPoints: boolean): SolvedChallenge => {
    const before = solvedBefore.get(id)
    if (before?.time === time) return before
    return { id, score: hasPoints ? (values.get(id) ?? 0) : 0, type: 'Normal', userName, time }
  }
}

/**
 * Returns the row that the members of a team see during a freeze. Rank and division are those on the frozen board. Awards, found
 * flags and hints of the team are current.
 * @param present the current row of the team, as on a board without a freeze
 * @param hasPoints returns true if solves of the given challenge give points to the team
 */
export function ownRowDuringFreeze(
  present: ScoreboardTeam,
  frozen: FrozenBoard,
  hasPoints: (challengeId: number) => boolean,
): ScoreboardTeam {
  const { row } = frozen
  const frozenSolve = ownSolvesDuringFreeze(frozen)
  const solvedChallenges = present.solvedChallenges.map((solve) => frozenSolve(solve, hasPoints(solve.id)))
  const { awards = [], foundFlags = [], boughtHints = [] } = present
  const gained = [...solvedChallenges.map(({ score }) => score), ...[...awards, ...foundFlags].map(({ points }) => points)]
  return {
    ...present,
    ...(row && { organization: row.organization, divisionId: row.divisionId }),
    solvedChallenges,
    score: gained.reduce((sum, points) => sum + points, 0) - boughtHints.reduce((sum, { price }) => sum + price, 0),
    rank: row?.rank ?? 0,
    organizationRank: row?.organizationRank ?? null,
    divisionRank: row?.divisionRank ?? null,
  }
}
