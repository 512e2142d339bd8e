import type { Executor } from '@capstan/db/client'
import { attachments, challenges } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, eq } from 'drizzle-orm'

export function createGameArchiveRepository(db: Executor) {
  return {
    /** Returns each team of a game whose captain hides the team's page. */
    async listHiddenTeams(gameId: number): Promise<Set<number>> {
      const rows = await db
        .select({ id: teams.id })
        .from(participations)
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .where(and(eq(participations.gameId, gameId), eq(teams.hasPublicPage, false)))
      return new Set(rows.map(({ id }) => id))
    },
    listTexts: (gameId: number) =>
      db
        .select({
          id: challenges.id,
          type: challenges.type,
          content: challenges.content,
          hints: challenges.hints,
          pricedHints: challenges.pricedHints,
          attachment: {
            fileHash: attachments.fileHash,
            fileName: attachments.fileName,
            remoteUrl: attachments.remoteUrl,
          },
        })
        .from(challenges)
        .leftJoin(attachments, eq(attachments.id, challenges.attachmentId))
        .where(eq(challenges.gameId, gameId)),
  }
}
