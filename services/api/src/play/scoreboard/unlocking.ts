// Checks whether a team has unlocked a challenge. Rules: docs/contract/challenges.md#unlocking.
import { canSubmissionScorePoints } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { Database } from '@capstan/db/client'
import { describeUnlockCondition, isOpenForTeam, type Lock } from '../../rules/scoring/unlocking.ts'
import type { Clock } from '../../server/http/clock.ts'
import type { RuledChallenge } from '../../server/players/locks.ts'
import type { Player } from '../../server/players/service.ts'
import { createScoreboardRepository } from './repository.ts'
import type { BoardViews, ScoreboardService } from './service.ts'
import { listVisibleChallenges } from './visible-challenges.ts'

type UnlockingDeps = Readonly<{
  db: Database
  clock: Clock
  scoreboards: ScoreboardService
}>

/**
 * Finds the unlock condition of a challenge that the team has not unlocked. If the board shows no unlock, reads the stored
 * unlocks, because these may be newer than the board.
 */
async function findLock(
  { db, clock, scoreboards }: UnlockingDeps,
  { game, participation, team }: Player,
  { id: challengeId, unlockRule }: RuledChallenge,
): Promise<Readonly<{ boards: BoardViews; lock: Lock }> | 'unknown' | undefined> {
  if (unlockRule === null || !canSubmissionScorePoints(clock.now(), { end: game.endsAt })) return undefined
  const boards = await scoreboards.readViews(game.id)
  const lock = boards?.live.locks.get(challengeId)
  if (lock && isOpenForTeam(lock, team.id)) return undefined
  if (await createScoreboardRepository(db).isUnlocked({ participationId: participation.id, challengeId })) return undefined
  return boards && lock ? { boards, lock } : 'unknown'
}

export async function isLocked(deps: UnlockingDeps, player: Player, challenge: RuledChallenge): Promise<boolean> {
  return (await findLock(deps, player, challenge)) !== undefined
}

/** @throws Problem `challenge.locked`, or `challenge.unknown` if the challenge is hidden or not on the board yet */
export async function checkUnlocked(deps: UnlockingDeps, player: Player, challenge: RuledChallenge): Promise<void> {
  const found = await findLock(deps, player, challenge)
  if (!found) return
  if (found === 'unknown' || found.lock.isHidden) throw new Problem('challenge.unknown')
  const { boards, lock } = found
  const seen = Object.values(listVisibleChallenges(player, boards, deps.clock.now()).challenges).flat()
  const titles = seen.filter(({ id }) => lock.after.includes(id)).map(({ title }) => title)
  throw new Problem('challenge.locked', { detail: describeUnlockCondition(lock, titles) })
}
