import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { divisions, participationMembers, participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { SheetMember } from './scoreboard-sheet.ts'

export function createSheetRepository(db: Executor) {
  return {
    async hasDivisions(gameId: number): Promise<boolean> {
      const rows = await db.select({ name: divisions.name }).from(divisions).where(eq(divisions.gameId, gameId)).limit(1)
      return rows.length > 0
    },
    async listMembers(gameId: number): Promise<Map<number, SheetMember[]>> {
      const rows = await db
        .select({
          teamId: teams.id,
          userName: users.userName,
          email: users.email,
          realName: users.realName,
          stdNumber: users.stdNumber,
          phone: users.phone,
        })
        .from(participationMembers)
        .innerJoin(participations, eq(participations.id, participationMembers.participationId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .innerJoin(users, eq(users.id, participationMembers.userId))
        .where(and(eq(participationMembers.gameId, gameId), eq(participations.status, 'Accepted')))
        .orderBy(asc(teams.id), desc(sql`${teams.captainId} = ${users.id}`), asc(users.userName))
      const byTeam = Map.groupBy(rows, ({ teamId }) => teamId)
      return new Map([...byTeam].map(([id, list]) => [id, list.map(({ teamId: _, ...member }) => member)]))
    },
    /** Finds the real name of each team's captain, even if the captain has not joined the game. */
    async listCaptains(gameId: number): Promise<Map<number, string>> {
      const rows = await db
        .select({ teamId: teams.id, realName: users.realName })
        .from(participations)
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .innerJoin(users, eq(users.id, teams.captainId))
        .where(eq(participations.gameId, gameId))
      return new Map(rows.map(({ teamId, realName }) => [teamId, realName]))
    },
  }
}
