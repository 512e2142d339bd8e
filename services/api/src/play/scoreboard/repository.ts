import type { Executor } from '@capstan/db/client'
import { challenges, unlocks } from '@capstan/db/schema/challenges'
import { games, participations } from '@capstan/db/schema/games'
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { Unlock } from '../../rules/scoring/unlocking.ts'

export function createScoreboardRepository(db: Executor) {
  return {
    async listStarting(after: Date, until: Date): Promise<number[]> {
      const rows = await db
        .select({ id: games.id })
        .from(games)
        .where(and(gt(games.startsAt, after), lte(games.startsAt, until)))
      return rows.map(({ id }) => id)
    },
    /** Stores unlocks. Ignores unlocks that are stored already, or whose challenge or participation is deleted. */
    async insertUnlocks(gameId: number, given: readonly Unlock[], unlockedAt: Date): Promise<void> {
      await db.execute(sql`
      insert into ${unlocks} (game_id, participation_id, challenge_id, unlocked_at)
      select ${gameId}::integer, ${participations.id}, ${challenges.id}, ${unlockedAt.toISOString()}::timestamptz
      from json_to_recordset(${JSON.stringify(given)}::json) as given ("participationId" integer, "challengeId" integer)
      join ${participations} on ${participations.id} = "participationId"
      join ${challenges} on ${challenges.id} = "challengeId"
      on conflict do nothing`)
    },
    async isUnlocked({ participationId, challengeId }: Unlock): Promise<boolean> {
      const rows = await db
        .select({ challengeId: unlocks.challengeId })
        .from(unlocks)
        .where(and(eq(unlocks.participationId, participationId), eq(unlocks.challengeId, challengeId)))
      return rows.length > 0
    },
  }
}
