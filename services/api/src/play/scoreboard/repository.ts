import type { Executor } from '@capstan/db/client'
import { games } from '@capstan/db/schema/games'
import { and, gt, lte } from 'drizzle-orm'

export function scoreboardRepository(db: Executor) {
  return {
    async listStarting(after: Date, until: Date): Promise<number[]> {
      const rows = await db
        .select({ id: games.id })
        .from(games)
        .where(and(gt(games.startsAt, after), lte(games.startsAt, until)))
      return rows.map(({ id }) => id)
    },
  }
}
