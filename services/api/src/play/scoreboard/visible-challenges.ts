import { canSubmissionScorePoints } from '@capstan/contract/phases'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { divisionSeesChallenge } from '../../rules/scoring/division-rights.ts'
import { countSolvedPrerequisites, isOpenForTeam, solvedChallengeIdsOf } from '../../rules/scoring/unlocking.ts'
import type { Player } from '../../server/players/service.ts'
import type { BoardViews } from './service.ts'

/**
 * Returns the challenges that a team sees, according to unlock rules and the rights of its division. Empty categories are omitted.
 * `locked` contains the visible challenges that the team has not unlocked. The values are from the public board. The team's unlocks
 * and solves are from the live board.
 */
export function listVisibleChallenges(
  { division, team, game }: Player,
  { live, public: shown }: BoardViews,
  now: Date,
): Pick<PlayerBoard, 'challenges' | 'challengeCount' | 'locked'> {
  const isOver = !canSubmissionScorePoints(now, { end: game.endsAt })
  const locks = isOver ? [] : [...live.locks.values()].filter((lock) => !isOpenForTeam(lock, team.id))
  if (!division && locks.length === 0 && shown === live) {
    const { challenges, challengeCount } = shown
    return { challenges, challengeCount }
  }
  const hidden = new Set(locks.filter(({ isHidden }) => isHidden).map(({ challengeId }) => challengeId))
  const seen = Object.entries(shown.allChallenges).flatMap(([category, list]) => {
    const left = list.filter(({ id }) => !hidden.has(id) && divisionSeesChallenge(division, id))
    return left.length === 0 ? [] : [[category, left] as const]
  })
  const ids = new Set(seen.flatMap(([, list]) => list.map(({ id }) => id)))
  const solved = solvedChallengeIdsOf(live.standingOf(team.id))
  const locked = locks.flatMap((lock) => {
    const { challengeId: id, after, needed, points } = lock
    if (!ids.has(id)) return []
    return [{ id, after: after.filter((each) => ids.has(each)), needed, solved: countSolvedPrerequisites(lock, solved), points }]
  })
  return {
    challenges: Object.fromEntries(seen),
    challengeCount: ids.size,
    ...(locked.length > 0 && { locked }),
  }
}
