// Points that organizers give in addition to the points of solves. Rules: docs/contract/scoreboard-and-events.md#awards.
import type { AwardCreate, TeamAward } from '@capstan/contract/awards'
import { Problem } from '@capstan/contract/problems'
import type { InstanceDeps } from '../../instances/deps.ts'
import { getGame } from '../editing/service.ts'
import { lockParticipationAgainstDeletion } from '../participations/service.ts'
import { type AwardFilter, type AwardRow, createAwardRepository } from './repository.ts'

type AwardDeps = Pick<InstanceDeps, 'clock' | 'db'>

type ChangedAward = Readonly<{
  /** Title of the game. */
  game: string
  award: AwardRow
}>

/** Lists awards of a game, newest first. @throws Problem `game.unknown` */
export async function listAwards(
  deps: AwardDeps,
  gameId: number,
  filter: AwardFilter,
): Promise<{ rows: readonly AwardRow[]; total: number }> {
  await getGame(deps, gameId)
  return createAwardRepository(deps.db).listPage(gameId, filter)
}

/** @throws Problem `game.unknown`, `participation.unknown`, `award.zero` */
export async function createAward(
  deps: AwardDeps,
  gameId: number,
  authorId: string,
  { teamId, points, reason, isReasonShown = true }: AwardCreate,
): Promise<ChangedAward> {
  const { db, clock } = deps
  const { title: game } = await getGame(deps, gameId)
  if (points === 0) throw new Problem('award.zero')
  return db.transaction(async (transaction) => {
    const repository = createAwardRepository(transaction)
    const participationId = await lockParticipationAgainstDeletion(transaction, gameId, teamId)
    const id = await repository.insert({
      ...{ gameId, participationId, title: reason.trim(), points, isReasonShown, authorId, awardedAt: clock.now() },
    })
    const award = await repository.find(gameId, id)
    if (!award) throw new Error('A new award is missing')
    return { game, award }
  })
}

/** @throws Problem `game.unknown`, `award.unknown`, `award.revoked` */
export async function revokeAward(deps: AwardDeps, gameId: number, revokerId: string, id: number): Promise<ChangedAward> {
  const { title: game } = await getGame(deps, gameId)
  const repository = createAwardRepository(deps.db)
  const isRevoked = await repository.revoke(gameId, id, { revokedAt: deps.clock.now(), revokerId })
  const award = await repository.find(gameId, id)
  if (!award) throw new Problem('award.unknown')
  if (!isRevoked) throw new Problem('award.revoked')
  return { game, award }
}

/** Lists the awards of the caller's team. @throws Problem `game.unknown` */
export async function listTeamAwards(deps: AwardDeps, gameId: number, userId: string): Promise<TeamAward[]> {
  await getGame(deps, gameId)
  const rows = await createAwardRepository(deps.db).listOfPlayer(gameId, userId)
  return rows.map(({ number, points, reason, isReasonShown, awardedAt }) => ({
    ...{ id: number, points, reason: isReasonShown ? reason : null, time: awardedAt.getTime() },
  }))
}
