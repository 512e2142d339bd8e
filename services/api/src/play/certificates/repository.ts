import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { participationMembers, participations } from '@capstan/db/schema/games'
import { and, asc, eq } from 'drizzle-orm'

export function createCertificateFactsRepository(db: Executor) {
  return {
    /**
     * Returns the user names of the members of each team, in alphabetical order.
     * @param teamId team whose members are returned; if absent, all teams
     */
    async listMembers(gameId: number, teamId?: number): Promise<Map<number, string[]>> {
      const rows = await db
        .select({ teamId: participations.teamId, userName: users.userName })
        .from(participationMembers)
        .innerJoin(participations, eq(participations.id, participationMembers.participationId))
        .innerJoin(users, eq(users.id, participationMembers.userId))
        .where(and(eq(participationMembers.gameId, gameId), teamId === undefined ? undefined : eq(participations.teamId, teamId)))
        .orderBy(asc(users.userName))
      const members = new Map<number, string[]>()
      for (const row of rows) members.set(row.teamId, [...(members.get(row.teamId) ?? []), row.userName])
      return members
    },
  }
}
