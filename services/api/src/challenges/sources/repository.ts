import type { Executor } from '@capstan/db/client'
import { challengeSources, gameSources } from '@capstan/db/schema/sources'
import { and, asc, eq, ne } from 'drizzle-orm'

export type GameSourceRow = typeof gameSources.$inferSelect
export type ChallengeSourceRow = typeof challengeSources.$inferSelect

/** Record of the last `capstan apply` for a game or challenge. `remembered` contains digests of the applied values. */
export type SourceNote = Readonly<{
  name: string
  remembered: Readonly<Record<string, string>>
  appliedAt: Date
}>

export function createSourceRepository(db: Executor) {
  return {
    async findGameByName(name: string): Promise<GameSourceRow | undefined> {
      const [row] = await db.select().from(gameSources).where(eq(gameSources.name, name))
      return row
    },
    async findGame(gameId: number): Promise<GameSourceRow | undefined> {
      const [row] = await db.select().from(gameSources).where(eq(gameSources.gameId, gameId))
      return row
    },
    /** Inserts the source name of a game. @returns false if another game already has the name */
    async insertGame(gameId: number, name: string): Promise<boolean> {
      const inserted = await db.insert(gameSources).values({ gameId, name }).onConflictDoNothing().returning()
      return inserted.length > 0
    },
    /** Sets the source name of a game. If another game has the name, that game loses it. */
    async setGame(gameId: number, note: SourceNote): Promise<void> {
      await db.delete(gameSources).where(and(eq(gameSources.name, note.name), ne(gameSources.gameId, gameId)))
      await db
        .insert(gameSources)
        .values({ gameId, ...note })
        .onConflictDoUpdate({ target: gameSources.gameId, set: note })
    },
    listChallenges: (gameId: number): Promise<ChallengeSourceRow[]> =>
      db.select().from(challengeSources).where(eq(challengeSources.gameId, gameId)).orderBy(asc(challengeSources.challengeId)),
    async findChallengeByName(gameId: number, name: string): Promise<ChallengeSourceRow | undefined> {
      const [row] = await db
        .select()
        .from(challengeSources)
        .where(and(eq(challengeSources.gameId, gameId), eq(challengeSources.name, name)))
      return row
    },
    /** Sets the source name of a challenge. If another challenge of the game has the name, that challenge loses it. */
    async setChallenge(gameId: number, challengeId: number, note: SourceNote): Promise<ChallengeSourceRow> {
      await db
        .delete(challengeSources)
        .where(
          and(
            eq(challengeSources.gameId, gameId),
            eq(challengeSources.name, note.name),
            ne(challengeSources.challengeId, challengeId),
          ),
        )
      const [row] = await db
        .insert(challengeSources)
        .values({ gameId, challengeId, ...note })
        .onConflictDoUpdate({ target: challengeSources.challengeId, set: note })
        .returning()
      if (!row) throw new Error('Storing the source of a challenge returned no row')
      return row
    },
  }
}
