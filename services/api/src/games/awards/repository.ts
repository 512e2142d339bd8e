import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { awards } from '@capstan/db/schema/challenges'
import { participationMembers, participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'

export type AwardFilter = Readonly<{
  count: number
  skip: number
  teamId: number | undefined
}>

const revokers = alias(users, 'revokers')

const columns = {
  id: awards.id,
  teamId: teams.id,
  team: teams.name,
  points: awards.points,
  reason: awards.title,
  isReasonShown: awards.isReasonShown,
  awardedAt: awards.awardedAt,
  author: users.userName,
  revokedAt: awards.revokedAt,
  revokedBy: revokers.userName,
}

/**
 * SQL for the number of an award within its team: the oldest award of the team has the number 1. Players see this number instead
 * of the id, because the id would reveal how many awards other teams get.
 */
const numberInTeam = sql<number>`(select count(*) from ${awards} as earlier
  where earlier.participation_id = ${awards.participationId} and earlier.id <= ${awards.id})`.mapWith(Number)

export function createAwardRepository(db: Executor) {
  const select = () =>
    db
      .select(columns)
      .from(awards)
      .innerJoin(participations, eq(participations.id, awards.participationId))
      .innerJoin(teams, eq(teams.id, participations.teamId))
      .leftJoin(users, eq(users.id, awards.authorId))
      .leftJoin(revokers, eq(revokers.id, awards.revokerId))
  return {
    async listPage(gameId: number, { count, skip, teamId }: AwardFilter) {
      const filter = and(eq(awards.gameId, gameId), teamId === undefined ? undefined : eq(participations.teamId, teamId))
      const total = await db.$count(
        db
          .select({ id: awards.id })
          .from(awards)
          .innerJoin(participations, eq(participations.id, awards.participationId))
          .where(filter)
          .as('matching'),
      )
      const rows = await select().where(filter).orderBy(desc(awards.awardedAt), desc(awards.id)).limit(count).offset(skip)
      return { rows, total }
    },
    async find(gameId: number, id: number) {
      const [row] = await select().where(and(eq(awards.gameId, gameId), eq(awards.id, id)))
      return row
    },
    async insert(row: typeof awards.$inferInsert): Promise<number> {
      const [award] = await db.insert(awards).values(row).returning({ id: awards.id })
      if (!award) throw new Error('Inserting an award returned no row')
      return award.id
    },
    /** @returns false if the game has no award with this id, or if the award is revoked already */
    async revoke(gameId: number, id: number, values: Readonly<{ revokedAt: Date; revokerId: string }>): Promise<boolean> {
      const rows = await db
        .update(awards)
        .set(values)
        .where(and(eq(awards.gameId, gameId), eq(awards.id, id), isNull(awards.revokedAt)))
        .returning({ id: awards.id })
      return rows.length > 0
    },
    /** Lists the awards of the user's team in a game, oldest first. Revoked awards are omitted. */
    listOfPlayer: (gameId: number, userId: string) =>
      db
        .select({
          number: numberInTeam,
          points: awards.points,
          reason: awards.title,
          isReasonShown: awards.isReasonShown,
          awardedAt: awards.awardedAt,
        })
        .from(awards)
        .innerJoin(participationMembers, eq(participationMembers.participationId, awards.participationId))
        .where(and(eq(participationMembers.gameId, gameId), eq(participationMembers.userId, userId), isNull(awards.revokedAt)))
        .orderBy(asc(awards.awardedAt), asc(awards.id)),
  }
}

export type AwardRow = NonNullable<Awaited<ReturnType<ReturnType<typeof createAwardRepository>['find']>>>
