import type { TeamFilter, TeamOrder } from '@capstan/contract/admin'
import type { Executor } from '@capstan/db/client'
import { findPage } from '@capstan/db/find-page'
import { users } from '@capstan/db/schema/accounts'
import { games, participationMembers, participations } from '@capstan/db/schema/games'
import { captures } from '@capstan/db/schema/instances'
import { teamMembers, teams } from '@capstan/db/schema/teams'
import { and, asc, count, eq, gte, ilike, inArray, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { StoredCapture } from '../../server/files/stored-captures.ts'
import { anywhere } from '../../server/http/search-pattern.ts'

export type TeamRow = typeof teams.$inferSelect

/** A person as a team page shows them: no real name, number, phone or address. */
export type MemberRow = Readonly<{
  teamId: number
  id: string
  userName: string
  bio: string
  avatarHash: string | null
}>

/** What is left of participations that went. */
export type Withdrawal = Readonly<{
  hashes: readonly (string | null)[]
  captures: readonly StoredCapture[]
}>

const captureColumns = {
  challengeId: captures.challengeId,
  participationId: captures.participationId,
  fileName: captures.fileName,
}

/** By a part of the name; a number also by the id. */
function matches(hint: string) {
  return or(ilike(teams.name, anywhere(hint)), /^\d{1,9}$/.test(hint) ? eq(teams.id, Number(hint)) : undefined)
}

/** What a list is ordered by; names regardless of case. */
const orders: Readonly<Record<TeamOrder, SQL>> = {
  id: sql`${teams.id}`,
  name: sql`lower(${teams.name})`,
  captain: sql`(select lower(${users.userName}) from ${users} where ${users.id} = ${teams.captainId})`,
  members: sql`(select count(*) from ${teamMembers} where ${teamMembers.teamId} = ${teams.id})`,
  locked: sql`${teams.locked}`,
}

/** A filter with everything that it leaves open filled in. */
export type TeamSearch = TeamFilter & Required<Pick<TeamFilter, 'sort' | 'descending' | 'count' | 'skip'>>

export function teamRepository(db: Executor) {
  return {
    async find(id: number): Promise<TeamRow | undefined> {
      const [team] = await db.select().from(teams).where(eq(teams.id, id))
      return team
    },
    /** Row-locks the team until the transaction ends: its rules are checked and changed by one at a time. */
    async lock(id: number): Promise<TeamRow | undefined> {
      const [team] = await db.select().from(teams).where(eq(teams.id, id)).for('update')
      return team
    },
    /** Row-locks the team of a name, letter case ignored. An exact match goes first. */
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
    /** Row-locks users in a fixed order: what depends on whose captain they are is decided by one at a time. @returns ids that exist */
    async lockUsers(ids: readonly string[]): Promise<string[]> {
      const rows = await db
        .select({ id: users.id })
        .from(users)
        .where(inArray(users.id, [...new Set(ids)]))
        .orderBy(asc(users.id))
        .for('no key update')
      return rows.map(({ id }) => id)
    },
    countOfCaptain: (userId: string): Promise<number> => db.$count(teams, eq(teams.captainId, userId)),
    async insert(row: typeof teams.$inferInsert): Promise<TeamRow> {
      const [team] = await db.insert(teams).values(row).returning()
      if (!team) throw new Error('Inserting a team returned no row')
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
    /** Teams a user belongs to, oldest first. */
    async listOfUser(userId: string): Promise<TeamRow[]> {
      const rows = await db
        .select({ team: teams })
        .from(teams)
        .innerJoin(teamMembers, eq(teamMembers.teamId, teams.id))
        .where(eq(teamMembers.userId, userId))
        .orderBy(asc(teams.id))
      return rows.map(({ team }) => team)
    },
    /** Members of several teams, by the time they joined. */
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
    /** Whether the team takes part, in any status, in a game that is not over. */
    async isPlaying(id: number, now: Date): Promise<boolean> {
      const [row] = await db
        .select({ one: sql`1` })
        .from(participations)
        .innerJoin(games, eq(games.id, participations.gameId))
        .where(and(eq(participations.teamId, id), gte(games.endsAt, now)))
        .limit(1)
      return row !== undefined
    },
    /** Takes a user out of all games of the team; participations without members that wait or are rejected go too. */
    async withdrawFromGames(teamId: number, userId: string): Promise<Withdrawal> {
      const ofTeam = db.select({ id: participations.id }).from(participations).where(eq(participations.teamId, teamId))
      await db
        .delete(participationMembers)
        .where(and(eq(participationMembers.userId, userId), inArray(participationMembers.participationId, ofTeam)))
      const left = await db
        .select({ id: participations.id, writeupHash: participations.writeupHash })
        .from(participations)
        .where(
          and(
            eq(participations.teamId, teamId),
            inArray(participations.status, ['Pending', 'Rejected']),
            notExists(db.select().from(participationMembers).where(eq(participationMembers.participationId, participations.id))),
          ),
        )
      const ids = left.map(({ id }) => id)
      const stored = await db.select(captureColumns).from(captures).where(inArray(captures.participationId, ids))
      await db.delete(participations).where(inArray(participations.id, ids))
      return { hashes: left.map(({ writeupHash }) => writeupHash), captures: stored }
    },
    /** Where the team takes part. */
    listParticipations: (teamId: number): Promise<{ id: number; gameId: number; writeupHash: string | null }[]> =>
      db
        .select({ id: participations.id, gameId: participations.gameId, writeupHash: participations.writeupHash })
        .from(participations)
        .where(eq(participations.teamId, teamId)),
    /** Captures of the team's instances, in all games. */
    listCaptures: (teamId: number): Promise<StoredCapture[]> =>
      db
        .select(captureColumns)
        .from(captures)
        .innerJoin(participations, eq(participations.id, captures.participationId))
        .where(eq(participations.teamId, teamId)),
    /** For admins: by id. */
    async listPage(page: { count: number; skip: number }): Promise<{ rows: TeamRow[]; total: number }> {
      const rows = await db.select().from(teams).orderBy(asc(teams.id)).limit(page.count).offset(page.skip)
      const [all] = await db.select({ total: count() }).from(teams)
      return { rows, total: all?.total ?? 0 }
    },
    /** For admins: by any part, in any order; the id settles what is alike. */
    findBy(filter: TeamSearch): Promise<{ rows: TeamRow[]; total: number }> {
      const { hint, locked, game, sort, ...page } = filter
      const playing = db.select({ id: participations.teamId }).from(participations)
      const condition = and(
        hint === undefined ? undefined : matches(hint),
        locked === undefined ? undefined : eq(teams.locked, locked),
        game === undefined ? undefined : inArray(teams.id, playing.where(eq(participations.gameId, game))),
      )
      return findPage(db, { table: teams, condition, order: orders[sort], key: teams.id, ...page })
    },
    /** By a part of the name; a number also matches the id. */
    search: (hint: string, limit: number): Promise<TeamRow[]> =>
      db.select().from(teams).where(matches(hint)).orderBy(asc(teams.id)).limit(limit),
  }
}
