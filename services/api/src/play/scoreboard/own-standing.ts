import { hasRight, rightsFor } from '@capstan/contract/division-rights'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { challengeValuesById, type FrozenBoard, ownRowDuringFreeze } from '../../rules/scoring/own-row.ts'
import type { Player } from '../../server/players/service.ts'
import type { Board, BoardViews } from './service.ts'

export function frozenBoardOf(teamId: number, shown: Pick<Board, 'allChallenges' | 'standingOf'>): FrozenBoard {
  return { row: shown.standingOf(teamId), values: challengeValuesById(shown.allChallenges) }
}

/**
 * Returns the row of a team as its members see it.
 * @returns undefined if the team is on no board
 */
export function ownStandingOf({ team, division }: Player, { live, public: shown }: BoardViews): ScoreboardTeam | undefined {
  const present = live.standingOf(team.id)
  if (shown === live || !present) return present
  return ownRowDuringFreeze(present, frozenBoardOf(team.id, shown), (challengeId) =>
    hasRight(rightsFor(division, challengeId), 'points'),
  )
}
