import type { TeamFilter, TeamOrder } from '@capstan/contract/admin'
import type { Executor } from '@capstan/db/client'
import { findPageOfRows } from '@capstan/db/find-page'
import { isFrozenInSql, isOnFrozenBoard, sqlOfKnownStatus } from '@capstan/db/known-status'
import { users } from '@capstan/db/schema/accounts'
import { games, participationMembers, participations } from '@capstan/db/schema/games'
import { captures } from '@capstan/db/schema/instances'
import { teamMembers, teams } from '@capstan/db/schema/teams'
import { and, asc, count, eq, exists, gte, ilike, inArray, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { StoredCapture } from '../../server/files/stored-captures.ts'
import { toSqlContainsPattern } from '../../server/http/search-pattern.ts'

export type TeamRow = typeof teams.$inferSelect

/** Public data of a team member. Excludes real name, student number, phone number and address. */
export type MemberRow = Readonly<{
  teamId: number
  id: string
  userName: string
  bio: string
  avatarHash: string | null
}>

/** Stored files and traffic captures that belonged to deleted participations. The caller deletes them after the commit. */
export type Withdrawal = Readonly<{
  hashes: readonly (string | null)[]
  captures: readonly StoredCapture[]
}>

const captureColumns = {
  challengeId: captures.challengeId,
  participationId: captures.participationId,
  fileName: captures.fileName,
}

function matches(hint: string) {
  return or(ilike(teams.name, toSqlContainsPattern(hint)), /^\d{1,9}$/.test(hint) ? eq(teams.id, Number(hint)) : undefined)
}

/** Sort keys of the list of teams. Names are sorted without regard to case. */
const orders: Readonly<Record<TeamOrder, SQL>> = {
  id: sql`${teams.id}`,
  name: sql`lower(${teams.name})`,
  captain: sql`(select lower(${users.userName}) from ${users} where ${users.id} = ${teams.captainId})`,
  members: sql`(select count(*) from ${teamMembers} where ${teamMembers.teamId} = ${teams.id})`,
  locked: sql`${teams.locked}`,
}

export type TeamSearch = TeamFilter & Required<Pick<TeamFilter, 'sort' | 'descending' | 'count' | 'skip'>>

export function createTeamRepository(db: Executor) {
  return {
    async find(id: number): Promise<TeamRow | undefined> {
      const [team] = await db.select().from(teams).where(eq(teams.id, id))
      return team
    },
    /** Row-locks the team, so that concurrent changes run one after another. */
    async lock(id: number): Promise<TeamRow | undefined> {
      const [team] = await db.select().from(teams).where(eq(teams.id, id)).for('update')
      return team
    },
    /** Locks the row of the team with this name, without regard to case. An exact match takes precedence. */
    async lockByName(name: string): Promise<TeamRow | undefined> {
      const [team] = await db
        .select()
        .from(teams)
        .where(sql`lower(${teams.name}) = lower(${name})`)
        .orderBy(sql`${teams.name} <> ${name}`, asc(teams.id))
        .limit(1)
        .for('update')
      return team
    },
    /**
     * Locks users in a fixed order, so that changes of captains run one after another.
     * @returns the ids of the users that exist
     */
    async lockUsers(ids: readonly string[]): Promise<string[]> {
      const rows = await db
        .select({ id: users.id })
        .from(users)
        .where(inArray(users.id, [...new Set(ids)]))
        .orderBy(asc(users.id))
        .for('no key update')
      return rows.map(({ id }) => id)
    },
    /**
     * Locks the number of teams of a user until the end of the transaction. Uses an advisory lock, because a lock of the user's row
     * would wait for concurrent transfers of teams to this user.
     */
    async lockMemberships(userId: string): Promise<void> {
      await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`teams of ${userId}`}, 0))`)
    },
    countMembers: (teamId: number): Promise<number> => db.$count(teamMembers, eq(teamMembers.teamId, teamId)),
    countOfMember: (userId: string): Promise<number> => db.$count(teamMembers, eq(teamMembers.userId, userId)),
    countOfCaptain: (userId: string): Promise<number> => db.$count(teams, eq(teams.captainId, userId)),
    async insert(row: typeof teams.$inferInsert): Promise<TeamRow> {
      const [team] = await db.insert(teams).values(row).returning()
      if (!team) throw new Error('Inserting a team returned no row')
      return team
    },
    /** @returns undefined if another team has this name or a name that looks like it */
    async insertUnlessTaken(row: typeof teams.$inferInsert): Promise<TeamRow | undefined> {
      const [team] = await db.insert(teams).values(row).onConflictDoNothing().returning()
      return team
    },
    async update(id: number, values: Partial<typeof teams.$inferInsert>): Promise<void> {
      await db.update(teams).set(values).where(eq(teams.id, id))
    },
    async delete(id: number): Promise<void> {
      await db.delete(teams).where(eq(teams.id, id))
    },
    async insertMember(teamId: number, userId: string): Promise<void> {
      await db.insert(teamMembers).values({ teamId, userId })
    },
    async deleteMember(teamId: number, userId: string): Promise<void> {
      await db.delete(teamMembers).where(and(eq(teamMembers.teamId, teamId), eq(teamMembers.userId, userId)))
    },
    async listOfUser(userId: string): Promise<TeamRow[]> {
      const rows = await db
        .select({ team: teams })
        .from(teams)
        .innerJoin(teamMembers, eq(teamMembers.teamId, teams.id))
        .where(eq(teamMembers.userId, userId))
        .orderBy(asc(teams.id))
      return rows.map(({ team }) => team)
    },
    /** Returns the members of several teams, in the order in which they joined. */
    listMembers: async (teamIds: readonly number[]): Promise<MemberRow[]> =>
      teamIds.length === 0
        ? []
        : db
            .select({
              teamId: teamMembers.teamId,
              id: users.id,
              userName: users.userName,
              bio: users.bio,
              avatarHash: users.avatarHash,
            })
            .from(teamMembers)
            .innerJoin(users, eq(users.id, teamMembers.userId))
            .where(inArray(teamMembers.teamId, [...teamIds]))
            .orderBy(asc(teamMembers.teamId), asc(teamMembers.joinedAt), asc(users.id)),
    /** Returns true if the team has a participation, of any status, in a game that has not ended. */
    async isPlaying(id: number, now: Date): Promise<boolean> {
      const [row] = await db
        .select({ one: sql`1` })
        .from(participations)
        .innerJoin(games, eq(games.id, participations.gameId))
        .where(and(eq(participations.teamId, id), gte(games.endsAt, now)))
        .limit(1)
      return row !== undefined
    },
    /** Returns true if the frozen board of a game lists the team. */
    async isOnFrozenBoard(id: number, now: Date): Promise<boolean> {
      const [row] = await db
        .select({ one: sql`1` })
        .from(participations)
        .innerJoin(games, eq(games.id, participations.gameId))
        .where(and(eq(participations.teamId, id), isOnFrozenBoard(now)))
        .limit(1)
      return row !== undefined
    },
    /**
     * True if users outside the team see the team as locked. While the scoreboard of at least one game is frozen, the stored lock
     * does not count. Instead, the team is seen as locked if players know that it was accepted to a game that has not ended.
     */
    async isKnownToBeLocked({ id, locked }: Pick<TeamRow, 'id' | 'locked'>, now: Date): Promise<boolean> {
      const anyFrozen = exists(db.select({ id: games.id }).from(games).where(isFrozenInSql(now)))
      const isAccepted = exists(
        db
          .select({ id: participations.id })
          .from(participations)
          .innerJoin(games, eq(games.id, participations.gameId))
          .where(and(eq(participations.teamId, id), gte(games.endsAt, now), eq(sqlOfKnownStatus(now), 'Accepted'))),
      )
      const [row] = await db
        .select({ isLocked: sql<boolean>`case when ${anyFrozen} then ${isAccepted} else ${locked} end` })
        .from(sql`(select 1) as one`)
      return row?.isLocked ?? locked
    },
    /**
     * Removes a user from all games of the team. Then deletes pending and rejected participations without members, except those
     * of teams on a frozen scoreboard.
     */
    async withdrawFromGames(teamId: number, userId: string, now: Date): Promise<Withdrawal> {
      const ofTeam = db.select({ id: participations.id }).from(participations).where(eq(participations.teamId, teamId))
      await db
        .delete(participationMembers)
        .where(and(eq(participationMembers.userId, userId), inArray(participationMembers.participationId, ofTeam)))
      const left = await db
        .select({ id: participations.id, writeupHash: participations.writeupHash })
        .from(participations)
        .innerJoin(games, eq(games.id, participations.gameId))
        .where(
          and(
            eq(participations.teamId, teamId),
            inArray(participations.status, ['Pending', 'Rejected']),
            not(isOnFrozenBoard(now)),
            notExists(db.select().from(participationMembers).where(eq(participationMembers.participationId, participations.id))),
          ),
        )
      const ids = left.map(({ id }) => id)
      const stored = await db.select(captureColumns).from(captures).where(inArray(captures.participationId, ids))
      await db.delete(participations).where(inArray(participations.id, ids))
      return { hashes: left.map(({ writeupHash }) => writeupHash), captures: stored }
    },
    listParticipations: (teamId: number): Promise<{ id: number; gameId: number; writeupHash: string | null }[]> =>
      db
        .select({ id: participations.id, gameId: participations.gameId, writeupHash: participations.writeupHash })
        .from(participations)
        .where(eq(participations.teamId, teamId)),
    listCaptures: (teamId: number): Promise<StoredCapture[]> =>
      db
        .select(captureColumns)
        .from(captures)
        .innerJoin(participations, eq(participations.id, captures.participationId))
        .where(eq(participations.teamId, teamId)),
    async listPage(page: { count: number; skip: number }): Promise<{ rows: TeamRow[]; total: number }> {
      const rows = await db.select().from(teams).orderBy(asc(teams.id)).limit(page.count).offset(page.skip)
      const [all] = await db.select({ total: count() }).from(teams)
      return { rows, total: all?.total ?? 0 }
    },
    findBy(filter: TeamSearch): Promise<{ rows: TeamRow[]; total: number }> {
      const { hint, locked, game, sort, ...page } = filter
      const playing = db.select({ id: participations.teamId }).from(participations)
      const condition = and(
        hint === undefined ? undefined : matches(hint),
        locked === undefined ? undefined : eq(teams.locked, locked),
        game === undefined ? undefined : inArray(teams.id, playing.where(eq(participations.gameId, game))),
      )
      return findPageOfRows(db, { table: teams, condition, order: orders[sort], key: teams.id, ...page })
    },
    search: (hint: string, limit: number): Promise<TeamRow[]> =>
      db.select().from(teams).where(matches(hint)).orderBy(asc(teams.id)).limit(limit),
  }
}
