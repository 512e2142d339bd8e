import type { Executor } from '@capstan/db/client'
import { isFrozenInSql, sqlOfKnownStatus } from '@capstan/db/known-status'
import { users } from '@capstan/db/schema/accounts'
import { challenges, solves } from '@capstan/db/schema/challenges'
import { finalStandings, games, participationMembers, participations } from '@capstan/db/schema/games'
import { teamMembers, teams } from '@capstan/db/schema/teams'
import { and, asc, count, desc, eq, exists, inArray, lt, lte, ne, not, or, type SQL, sql } from 'drizzle-orm'
import type { ProfileAccess } from './policy.ts'

export type Subject = { readonly teamId: number } | Readonly<{ userId: string; sight: ProfileAccess }>

/** First solve of a challenge. */
export type FirstBlood = Readonly<{ teamId: number; challengeId: number }>

const personColumns = {
  id: users.id,
  userName: users.userName,
  avatarHash: users.avatarHash,
  hasPublicPage: users.hasPublicPage,
}
const teamColumns = { id: teams.id, name: teams.name, avatarHash: teams.avatarHash }

/** SQL condition that selects users who have a page. It has the same meaning as `hasProfilePage`. */
const havePages = and(ne(users.role, 'Banned'), eq(users.emailConfirmed, true))

/** SQL condition that joins a participation with its stored final standing. */
const isStandingOf = and(eq(finalStandings.teamId, participations.teamId), eq(finalStandings.gameId, participations.gameId))

/** SQL condition that is true if the game is over and the first bloods of the team are stored. */
function hasStoredBloods(now: Date): SQL<boolean> {
  return sql<boolean>`(${lt(games.endsAt, now)} and ${finalStandings.firstBloods} is not null)`
}

function isMember(userId: string | undefined): SQL<boolean> {
  return userId === undefined
    ? sql<boolean>`false`
    : sql<boolean>`exists (select 1 from ${teamMembers} where ${teamMembers.teamId} = ${teams.id} and ${teamMembers.userId} = ${userId})`
}

/** SQL condition that selects teams whose page the viewer may open. */
function openTo({ seesAll, ownId }: ProfileAccess): SQL | undefined {
  return seesAll ? undefined : or(eq(teams.hasPublicPage, true), isMember(ownId))
}

export function createProfileRepository(db: Executor) {
  const hasMember = exists(
    db
      .select({ id: users.id })
      .from(teamMembers)
      .innerJoin(users, eq(users.id, teamMembers.userId))
      .where(and(eq(teamMembers.teamId, teams.id), havePages)),
  )

  const partOf = (subject: Subject, now: Date): SQL | undefined =>
    and(
      eq(sqlOfKnownStatus(now), 'Accepted'),
      eq(games.hidden, false),
      lte(games.startsAt, now),
      'teamId' in subject
        ? eq(participations.teamId, subject.teamId)
        : and(
            inArray(
              participations.id,
              db
                .select({ id: participationMembers.participationId })
                .from(participationMembers)
                .where(eq(participationMembers.userId, subject.userId)),
            ),
            openTo(subject.sight),
          ),
    )

  return {
    async findTeam(id: number, ownId: string | undefined) {
      const [team] = await db
        .select({ ...teamColumns, bio: teams.bio, hasPublicPage: teams.hasPublicPage, isOwn: isMember(ownId) })
        .from(teams)
        .where(eq(teams.id, id))
      return team
    },
    async findUser(id: string) {
      const [user] = await db
        .select({ ...personColumns, bio: users.bio, role: users.role, emailConfirmed: users.emailConfirmed })
        .from(users)
        .where(eq(users.id, id))
      return user
    },
    /**
     * Lists the members who have a page, even if the page is private. The captain is first. The other members are in the order of
     * joining.
     */
    listMembers: (teamId: number, limit: number) =>
      db
        .select({ ...personColumns, captain: sql<boolean>`${teams.captainId} = ${users.id}` })
        .from(teamMembers)
        .innerJoin(users, eq(users.id, teamMembers.userId))
        .innerJoin(teams, eq(teams.id, teamMembers.teamId))
        .where(and(eq(teamMembers.teamId, teamId), havePages))
        .orderBy(sql`${users.id} = ${teams.captainId} desc`, asc(teamMembers.joinedAt), asc(users.id))
        .limit(limit),
    listTeams: (userId: string, sight: ProfileAccess, limit: number) =>
      db
        .select(teamColumns)
        .from(teamMembers)
        .innerJoin(teams, eq(teams.id, teamMembers.teamId))
        .where(and(eq(teamMembers.userId, userId), openTo(sight)))
        .orderBy(asc(teams.id))
        .limit(limit),
    /** Lists the games of a team or user, each with the final standing if it is stored. */
    listGames: (subject: Subject, now: Date, page: { count: number; skip: number }) =>
      db
        .select({
          game: {
            id: games.id,
            title: games.title,
            startsAt: games.startsAt,
            endsAt: games.endsAt,
            freezeAt: games.freezeAt,
            revealedAt: games.revealedAt,
          },
          division: participations.division,
          team: teamColumns,
          final: finalStandings,
        })
        .from(participations)
        .innerJoin(games, eq(games.id, participations.gameId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .leftJoin(finalStandings, isStandingOf)
        .where(partOf(subject, now))
        .orderBy(desc(games.startsAt), desc(games.id))
        .limit(page.count)
        .offset(page.skip),
    async sumUp(subject: Subject, now: Date): Promise<{ gameCount: number; bestRank: number | null }> {
      const [row] = await db
        .select({
          gameCount: count(),
          bestRank: sql<
            number | null
          >`min(nullif(${finalStandings.rank}, 0)) filter (where ${lt(games.endsAt, now)} and not ${isFrozenInSql(now)})`,
        })
        .from(participations)
        .innerJoin(games, eq(games.id, participations.gameId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .leftJoin(finalStandings, isStandingOf)
        .where(partOf(subject, now))
      return row ?? { gameCount: 0, bestRank: null }
    },
    /**
     * Lists the games whose stored standings do not have the first bloods: frozen and running games, and games that ended moments
     * ago. The first bloods of these games are on their boards.
     */
    listOnBoards: (subject: Subject, now: Date) =>
      db
        .select({ gameId: games.id, teamId: teams.id, isFrozen: isFrozenInSql(now) })
        .from(participations)
        .innerJoin(games, eq(games.id, participations.gameId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .leftJoin(finalStandings, isStandingOf)
        .where(and(partOf(subject, now), or(isFrozenInSql(now), not(hasStoredBloods(now))))),
    /**
     * Counts, for each category, the solves on boards that are not frozen. For a user, only solves by this user count. The cost
     * does not depend on the solves of other teams. Rules: docs/contract/scoreboard-and-events.md#ranking.
     * @param firstBloods first bloods on the boards of the games without stored first bloods
     */
    listCategories: (subject: Subject, now: Date, firstBloods: readonly FirstBlood[]) => {
      const isFirst = sql`case when ${hasStoredBloods(now)} then ${solves.challengeId} = any(${finalStandings.firstBloods})
        else (${participations.teamId}, ${solves.challengeId}) in (
          select "teamId", "challengeId"
          from json_to_recordset(${JSON.stringify(firstBloods)}::json) as first_bloods ("teamId" integer, "challengeId" integer)) end`
      return db
        .select({
          category: challenges.category,
          solves: count(),
          firstBloods: sql<number>`count(*) filter (where ${isFirst})`.mapWith(Number),
        })
        .from(solves)
        .innerJoin(participations, eq(participations.id, solves.participationId))
        .innerJoin(games, eq(games.id, participations.gameId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .innerJoin(challenges, eq(challenges.id, solves.challengeId))
        .leftJoin(finalStandings, isStandingOf)
        .where(
          and(
            partOf(subject, now),
            not(isFrozenInSql(now)),
            challenges.isShown,
            lt(solves.solvedAt, sql`least(${games.endsAt}, ${challenges.deadlineAt})`),
            'userId' in subject ? eq(solves.userId, subject.userId) : undefined,
          ),
        )
        .groupBy(challenges.category)
    },
    /**
     * Lists, for each game, the accepted teams that have no page or whose page the viewer may not open. Treats the viewer's own
     * teams like all other teams.
     */
    async listClosed(gameIds: readonly number[], sight: Omit<ProfileAccess, 'ownId'>, now: Date): Promise<number[][]> {
      const rows = await db
        .select({ gameId: participations.gameId, id: teams.id })
        .from(participations)
        .innerJoin(games, eq(games.id, participations.gameId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .where(
          and(
            inArray(participations.gameId, [...new Set(gameIds)]),
            eq(sqlOfKnownStatus(now), 'Accepted'),
            not(and(openTo({ ...sight, ownId: undefined }), hasMember) ?? hasMember),
          ),
        )
        .orderBy(asc(teams.id))
      const byGame = Map.groupBy(rows, ({ gameId }) => gameId)
      return gameIds.map((gameId) => (byGame.get(gameId) ?? []).map(({ id }) => id))
    },
    /** Lists the teams of a user that have a page, even if the page is private. */
    async listOwnOpen(userId: string): Promise<number[]> {
      const rows = await db
        .select({ id: teams.id })
        .from(teams)
        .where(
          and(
            inArray(teams.id, db.select({ id: teamMembers.teamId }).from(teamMembers).where(eq(teamMembers.userId, userId))),
            hasMember,
          ),
        )
      return rows.map(({ id }) => id)
    },
    async setVisibility(userId: string, hasPublicPage: boolean): Promise<void> {
      await db.update(users).set({ hasPublicPage }).where(eq(users.id, userId))
    },
    /** Lists the user's teams with the members who have a page, even if the page is private. */
    listOwn: (userId: string) =>
      db
        .select({
          teamId: teams.id,
          hasPublicPage: teams.hasPublicPage,
          member: { id: users.id, hasPublicPage: users.hasPublicPage },
        })
        .from(teams)
        .innerJoin(teamMembers, eq(teamMembers.teamId, teams.id))
        .innerJoin(users, eq(users.id, teamMembers.userId))
        .where(and(isMember(userId), havePages))
        .orderBy(asc(teams.id), sql`${users.id} = ${teams.captainId} desc`, asc(teamMembers.joinedAt), asc(users.id)),
  }
}

export type ProfileGameRow = Awaited<ReturnType<ReturnType<typeof createProfileRepository>['listGames']>>[number]
