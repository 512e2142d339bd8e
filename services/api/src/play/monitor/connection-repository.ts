import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { instances, proxyConnections } from '@capstan/db/schema/instances'
import { teams } from '@capstan/db/schema/teams'
import { and, desc, eq, ilike, isNull, or, sql } from 'drizzle-orm'
import { toSqlContainsPattern } from '../../server/http/search-pattern.ts'

/** Filter of a game's connections. An absent field matches all connections. */
export type ConnectionFilter = Readonly<{
  challengeId: number | undefined
  participationId: number | undefined
  openOnly: boolean
  /** Text to find in the client address, or in the name of the team, user or challenge. */
  hint: string | undefined
  count: number
  skip: number
}>

export function createConnectionRepository(db: Executor) {
  return {
    /** Lists connections to instances of teams, newest first. */
    list: (gameId: number, { challengeId, participationId, openOnly, hint, count, skip }: ConnectionFilter) =>
      db
        .select({
          id: proxyConnections.id,
          instanceId: proxyConnections.instanceId,
          challengeId: challenges.id,
          challengeTitle: challenges.title,
          participationId: participations.id,
          teamName: teams.name,
          userName: users.userName,
          clientAddress: proxyConnections.clientAddress,
          way: proxyConnections.way,
          port: proxyConnections.port,
          bytesSent: proxyConnections.bytesSent,
          bytesReceived: proxyConnections.bytesReceived,
          openedAt: proxyConnections.openedAt,
          // A connection ends at the latest when its instance ends, even if no gateway reported the end.
          closedAt: sql<Date | null>`coalesce(${proxyConnections.closedAt}, ${instances.endedAt})`.mapWith(
            proxyConnections.openedAt,
          ),
        })
        .from(proxyConnections)
        .innerJoin(instances, eq(instances.id, proxyConnections.instanceId))
        .innerJoin(challenges, eq(challenges.id, instances.challengeId))
        .innerJoin(participations, eq(participations.id, instances.participationId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .leftJoin(users, eq(users.id, proxyConnections.userId))
        .where(
          and(
            eq(instances.gameId, gameId),
            challengeId === undefined ? undefined : eq(instances.challengeId, challengeId),
            participationId === undefined ? undefined : eq(instances.participationId, participationId),
            openOnly ? and(isNull(proxyConnections.closedAt), isNull(instances.endedAt)) : undefined,
            hint === undefined
              ? undefined
              : or(
                  ilike(teams.name, toSqlContainsPattern(hint)),
                  ilike(users.userName, toSqlContainsPattern(hint)),
                  ilike(challenges.title, toSqlContainsPattern(hint)),
                  ilike(proxyConnections.clientAddress, toSqlContainsPattern(hint)),
                ),
          ),
        )
        .orderBy(desc(proxyConnections.openedAt), desc(proxyConnections.id))
        .limit(count)
        .offset(skip),
  }
}

export type ConnectionRow = Awaited<ReturnType<ReturnType<typeof createConnectionRepository>['list']>>[number]
