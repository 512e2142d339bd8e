import { hasRight, rightsFor } from '@capstan/contract/divisions'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import type { Player } from '../../server/players/service.ts'
import type { BoardViews } from './service.ts'

/**
 * Returns the row that the members of a team see. During a freeze it has the ranks of the public board. Solves after the freeze have the
 * frozen values of their challenges, without bloods. The awards, found flags and hints of the team are the present ones.
 * @returns undefined if the team is on no board
 */
export function ownStandingOf({ team, division }: Player, { live, public: shown }: BoardViews): ScoreboardTeam | undefined {
  const present = live.standingOf(team.id)
  if (shown === live || !present) return present
  const frozen = shown.standingOf(team.id)
  const solvedBefore = new Map(frozen?.solvedChallenges.map((solve) => [solve.id, solve]))
  const values = new Map(
    Object.values(shown.allChallenges)
      .flat()
      .map(({ id, score }) => [id, score]),
  )
  const solvedChallenges = present.solvedChallenges.map((solve) => {
    const before = solvedBefore.get(solve.id)
    if (before?.time === solve.time) return before
    const score = hasRight(rightsFor(division, solve.id), 'points') ? (values.get(solve.id) ?? 0) : 0
    return { ...solve, score, type: 'Normal' as const }
  })
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
