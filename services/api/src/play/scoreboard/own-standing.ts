import { hasRight, rightsFor } from '@capstan/contract/divisions'
import type { ScoreboardTeam, SolvedChallenge } from '@capstan/contract/scoreboard'
import type { Player } from '../../server/players/service.ts'
import type { Board, BoardViews } from './service.ts'

/**
 * Creates the form in which a team sees its solves during a freeze. A solve after the freeze has the frozen value of its challenge, or no
 * points without the right to them, and no blood.
 * @param frozen row of the team on the frozen board
 */
export function frozenSolves(frozen: ScoreboardTeam | undefined, shown: Pick<Board, 'allChallenges'>) {
  const solvedBefore = new Map(frozen?.solvedChallenges.map((solve) => [solve.id, solve]))
  const challenges = Object.values(shown.allChallenges).flat()
  const values = new Map(challenges.map(({ id, score }) => [id, score]))
  return ({ id, time, userName }: Pick<SolvedChallenge, 'id' | 'time' | 'userName'>, hasPoints: boolean): SolvedChallenge => {
    const before = solvedBefore.get(id)
    if (before?.time === time) return before
    return { id, score: hasPoints ? (values.get(id) ?? 0) : 0, type: 'Normal', userName, time }
  }
}

/**
 * Returns the row that the members of a team see. During a freeze it has the ranks of the public board. Solves after the freeze have the
 * frozen values of their challenges, without bloods. The awards, found flags and hints of the team are the present ones.
 * @returns undefined if the team is on no board
 */
export function ownStandingOf({ team, division }: Player, { live, public: shown }: BoardViews): ScoreboardTeam | undefined {
  const present = live.standingOf(team.id)
  if (shown === live || !present) return present
  const frozen = shown.standingOf(team.id)
  const frozenSolve = frozenSolves(frozen, shown)
  const solvedChallenges = present.solvedChallenges.map((solve) =>
    frozenSolve(solve, hasRight(rightsFor(division, solve.id), 'points')),
  )
  const { awards = [], foundFlags = [], boughtHints = [] } = present
  const gained = [...solvedChallenges.map(({ score }) => score), ...[...awards, ...foundFlags].map(({ points }) => points)]
  return {
    ...present,
    solvedChallenges,
    score: gained.reduce((sum, points) => sum + points, 0) - boughtHints.reduce((sum, { price }) => sum + price, 0),
    rank: frozen?.rank ?? 0,
    organizationRank: frozen?.organizationRank ?? null,
    divisionRank: frozen?.divisionRank ?? null,
  }
}
