import { hasRight, rightsForChallenge } from '@capstan/contract/division-rights'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { type FrozenBoard, mapChallengeValuesById, ownRowDuringFreeze } from '../../rules/scoring/own-row.ts'
import type { Player } from '../../server/players/service.ts'
import type { Board, BoardViews } from './service.ts'

export function frozenBoardOfPlayer(teamId: number, shown: Pick<Board, 'allChallenges' | 'standingOf'>): FrozenBoard {
  return { row: shown.standingOf(teamId), values: mapChallengeValuesById(shown.allChallenges) }
}

/**
 * Returns the row of a team as its members see it.
 * @returns undefined if the team is on no board
 */
export function standingOfOwnTeam({ team, division }: Player, { live, public: shown }: BoardViews): ScoreboardTeam | undefined {
  const present = live.standingOf(team.id)
  if (shown === live || !present) return present
  return ownRowDuringFreeze(present, frozenBoardOfPlayer(team.id, shown), (challengeId) =>
    hasRight(rightsForChallenge(division, challengeId), 'points'),
  )
}
