import type { Executor } from '@capstan/db/client'
import { isOnFrozenBoard } from '@capstan/db/known-status'
import { users } from '@capstan/db/schema/accounts'
import { games, participationMembers, participations } from '@capstan/db/schema/games'
import { captures } from '@capstan/db/schema/instances'
import { teamMembers, teams } from '@capstan/db/schema/teams'
import { and, asc, count, eq, inArray, ne } from 'drizzle-orm'
import type { StoredCapture } from '../../server/files/stored-captures.ts'

export type ParticipationRow = typeof participations.$inferSelect
export type TeamRow = typeof teams.$inferSelect
export type UserRow = typeof users.$inferSelect

export function createParticipationRepository(db: Executor) {
  return {
    async find(id: number): Promise<ParticipationRow | undefined> {
      const [row] = await db.select().from(participations).where(eq(participations.id, id))
      return row
    },
    async lock(id: number): Promise<ParticipationRow | undefined> {
      const [row] = await db.select().from(participations).where(eq(participations.id, id)).for('no key update')
      return row
    },
    async lockOfTeam(gameId: number, teamId: number): Promise<ParticipationRow | undefined> {
      const [row] = await db
        .select()
        .from(participations)
        .where(and(eq(participations.gameId, gameId), eq(participations.teamId, teamId)))
        .for('no key update')
      return row
    },
    /** @returns undefined if the team is not in the game */
    async lockIdShared(gameId: number, teamId: number): Promise<number | undefined> {
      const [row] = await db
        .select({ id: participations.id })
        .from(participations)
        .where(and(eq(participations.gameId, gameId), eq(participations.teamId, teamId)))
        .for('key share')
      return row?.id
    },
    async findOfUser(gameId: number, userId: string): Promise<ParticipationRow | undefined> {
      const [row] = await db
        .select()
        .from(participations)
        .innerJoin(participationMembers, eq(participationMembers.participationId, participations.id))
        .where(and(eq(participationMembers.gameId, gameId), eq(participationMembers.userId, userId)))
      return row?.participations
    },
    async isOnFrozenBoard(id: number, now: Date): Promise<boolean> {
      const [row] = await db
        .select({ isShown: isOnFrozenBoard(now) })
        .from(participations)
        .innerJoin(games, eq(games.id, participations.gameId))
        .where(eq(participations.id, id))
      return row?.isShown ?? false
    },
    /** Row-locks the team. Concurrent joins then run one after another, so only one user gets the last place in the team. */
    async lockTeam(id: number): Promise<TeamRow | undefined> {
      const [team] = await db.select().from(teams).where(eq(teams.id, id)).for('no key update')
      return team
    },
    async isTeamMember(teamId: number, userId: string): Promise<boolean> {
      const rows = await db
        .select({ userId: teamMembers.userId })
        .from(teamMembers)
        .where(and(eq(teamMembers.teamId, teamId), eq(teamMembers.userId, userId)))
      return rows.length > 0
    },
    async insert(values: typeof participations.$inferInsert): Promise<ParticipationRow> {
      const [row] = await db.insert(participations).values(values).returning()
      if (!row) throw new Error('Inserting a participation returned no row')
      return row
    },
    async update(id: number, values: Partial<typeof participations.$inferInsert>): Promise<void> {
      await db.update(participations).set(values).where(eq(participations.id, id))
    },
    async delete(id: number): Promise<void> {
      await db.delete(participations).where(eq(participations.id, id))
    },
    listCaptures: (id: number): Promise<StoredCapture[]> =>
      db
        .select({
          challengeId: captures.challengeId,
          participationId: captures.participationId,
          fileName: captures.fileName,
        })
        .from(captures)
        .where(eq(captures.participationId, id)),
    async insertMember(row: { participationId: number; gameId: number; userId: string }): Promise<void> {
      await db.insert(participationMembers).values(row)
    },
    async deleteMember(gameId: number, userId: string): Promise<void> {
      await db
        .delete(participationMembers)
        .where(and(eq(participationMembers.gameId, gameId), eq(participationMembers.userId, userId)))
    },
    /** Counts the members who have joined the game in a participation. @param exceptUserId user who is not counted */
    async countMembers(participationId: number, exceptUserId?: string): Promise<number> {
      const [row] = await db
        .select({ total: count() })
        .from(participationMembers)
        .where(
          and(
            eq(participationMembers.participationId, participationId),
            exceptUserId === undefined ? undefined : ne(participationMembers.userId, exceptUserId),
          ),
        )
      return row?.total ?? 0
    },
    listWithTeams: (gameId: number): Promise<{ participation: ParticipationRow; team: TeamRow }[]> =>
      db
        .select({ participation: participations, team: teams })
        .from(participations)
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .where(eq(participations.gameId, gameId))
        .orderBy(asc(participations.teamId)),
    /** Returns the members of all teams in a game, by team id. Each list is in the order in which the members joined the team. */
    async listTeamMembers(gameId: number): Promise<Map<number, UserRow[]>> {
      const rows = await db
        .select({ teamId: teamMembers.teamId, user: users })
        .from(teamMembers)
        .innerJoin(users, eq(users.id, teamMembers.userId))
        .innerJoin(participations, eq(participations.teamId, teamMembers.teamId))
        .where(eq(participations.gameId, gameId))
        .orderBy(asc(teamMembers.joinedAt), asc(users.id))
      return new Map([...Map.groupBy(rows, ({ teamId }) => teamId)].map(([id, list]) => [id, list.map(({ user }) => user)]))
    },
    async listMembers(participationIds: readonly number[]): Promise<Map<number, string[]>> {
      if (participationIds.length === 0) return new Map()
      const rows = await db
        .select({ participationId: participationMembers.participationId, userId: participationMembers.userId })
        .from(participationMembers)
        .where(inArray(participationMembers.participationId, [...participationIds]))
      const grouped = Map.groupBy(rows, ({ participationId }) => participationId)
      return new Map([...grouped].map(([id, list]) => [id, list.map(({ userId }) => userId)]))
    },
  }
}
