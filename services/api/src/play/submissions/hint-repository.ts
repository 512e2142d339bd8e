import type { Executor } from '@capstan/db/client'
import { challenges, hintPurchases } from '@capstan/db/schema/challenges'
import { games, participations } from '@capstan/db/schema/games'
import { events } from '@capstan/db/schema/news'
import { and, eq, lt, sql } from 'drizzle-orm'
import type { AssignmentKey } from '../../instances/assignments/service.ts'

type HintKey = Readonly<{ participationId: number; hintId: string }>

export function createHintRepository(db: Executor) {
  return {
    /** Lists the ids of the hints of a challenge that a team has bought. */
    async listBought({ challengeId, participationId }: AssignmentKey): Promise<string[]> {
      const rows = await db
        .select({ hintId: hintPurchases.hintId })
        .from(hintPurchases)
        .where(and(eq(hintPurchases.participationId, participationId), eq(hintPurchases.challengeId, challengeId)))
      return rows.map(({ hintId }) => hintId)
    },
    /** @returns the price that the team paid, or undefined if it has not bought the hint */
    async findPaid({ participationId, hintId }: HintKey): Promise<number | undefined> {
      const [row] = await db
        .select({ price: hintPurchases.price })
        .from(hintPurchases)
        .where(and(eq(hintPurchases.participationId, participationId), eq(hintPurchases.hintId, hintId)))
      return row?.price
    },
    /** Row-locks a team in a game, so that its purchases run one after another. */
    async lockBuyer(participationId: number): Promise<void> {
      await db
        .select({ id: participations.id })
        .from(participations)
        .where(eq(participations.id, participationId))
        .for('no key update')
    },
    async findOffered(challengeId: number) {
      const [row] = await db
        .select({ hints: challenges.hints, pricedHints: challenges.pricedHints, allowsDebt: games.allowsDebt })
        .from(challenges)
        .innerJoin(games, eq(games.id, challenges.gameId))
        .where(eq(challenges.id, challengeId))
      return row
    },
    /** Returns the points that a team paid for hints. The scoreboard subtracts these points from the score of the team. */
    async sumPaid(participationId: number): Promise<number> {
      const [row] = await db
        .select({ paid: sql<number>`coalesce(sum(${hintPurchases.price}), 0)`.mapWith(Number) })
        .from(hintPurchases)
        .innerJoin(challenges, eq(challenges.id, hintPurchases.challengeId))
        .innerJoin(games, eq(games.id, hintPurchases.gameId))
        .where(
          and(
            eq(hintPurchases.participationId, participationId),
            eq(challenges.isShown, true),
            lt(hintPurchases.boughtAt, games.endsAt),
          ),
        )
      return row?.paid ?? 0
    },
    async insert(purchase: typeof hintPurchases.$inferInsert): Promise<void> {
      await db.insert(hintPurchases).values(purchase)
    },
    async insertEvent(event: typeof events.$inferInsert): Promise<void> {
      await db.insert(events).values(event)
    },
  }
}
