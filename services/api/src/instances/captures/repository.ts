import type { Executor } from '@capstan/db/client'
import { challenges } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { captures } from '@capstan/db/schema/instances'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, count, countDistinct, eq } from 'drizzle-orm'

export type CaptureRow = typeof captures.$inferSelect

export type CaptureFolder = Readonly<{
  challengeId: number
  participationId: number
}>

function inFolder({ challengeId, participationId }: CaptureFolder) {
  return and(eq(captures.challengeId, challengeId), eq(captures.participationId, participationId))
}

export function createCaptureRepository(db: Executor) {
  return {
    listChallenges: (gameId: number) =>
      db
        .select({
          id: challenges.id,
          title: challenges.title,
          category: challenges.category,
          type: challenges.type,
          isEnabled: challenges.isEnabled,
          count: countDistinct(captures.participationId),
        })
        .from(challenges)
        .leftJoin(captures, eq(captures.challengeId, challenges.id))
        .where(and(eq(challenges.gameId, gameId), eq(challenges.capture, true)))
        .groupBy(challenges.id)
        .orderBy(asc(challenges.id)),
    listTeams: (challengeId: number) =>
      db
        .select({
          id: participations.id,
          teamId: teams.id,
          name: teams.name,
          division: participations.division,
          avatarHash: teams.avatarHash,
          count: count(),
        })
        .from(captures)
        .innerJoin(participations, eq(participations.id, captures.participationId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .where(eq(captures.challengeId, challengeId))
        .groupBy(participations.id, teams.id)
        .orderBy(asc(teams.id)),
    list: (folder: CaptureFolder): Promise<CaptureRow[]> =>
      db.select().from(captures).where(inFolder(folder)).orderBy(asc(captures.fileName)),
    async find(folder: CaptureFolder, fileName: string): Promise<CaptureRow | undefined> {
      const [row] = await db
        .select()
        .from(captures)
        .where(and(inFolder(folder), eq(captures.fileName, fileName)))
      return row
    },
    async findNames({ challengeId, participationId }: CaptureFolder) {
      const [names] = await db
        .select({ challenge: challenges.title, team: teams.name })
        .from(participations)
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .innerJoin(challenges, eq(challenges.gameId, participations.gameId))
        .where(and(eq(participations.id, participationId), eq(challenges.id, challengeId)))
      return names
    },
    /** Deletes captures. @returns the names of the deleted files */
    async delete(folder: CaptureFolder, fileName?: string): Promise<string[]> {
      const deleted = await db
        .delete(captures)
        .where(and(inFolder(folder), fileName === undefined ? undefined : eq(captures.fileName, fileName)))
        .returning({ fileName: captures.fileName })
      return deleted.map((row) => row.fileName)
    },
  }
}
