import type { Executor } from '@capstan/db/client'
import { challenges, hintPurchases } from '@capstan/db/schema/challenges'
import { games, participations } from '@capstan/db/schema/games'
import { events } from '@capstan/db/schema/news'
import { and, eq, lt, sql } from 'drizzle-orm'
import type { AssignmentKey } from '../../instances/team-flags/service.ts'

type HintKey = Readonly<{ participationId: number; hintId: string }>

/** Lists the ids of the hints of a challenge that a team has bought. */
export async function listBoughtHints(db: Executor, { challengeId, participationId }: AssignmentKey): Promise<string[]> {
  const rows = await db
    .select({ hintId: hintPurchases.hintId })
    .from(hintPurchases)
    .where(and(eq(hintPurchases.participationId, participationId), eq(hintPurchases.challengeId, challengeId)))
  return rows.map(({ hintId }) => hintId)
}

/** @returns the price that the team paid, or undefined if the team has not bought the hint */
export async function findPaidPrice(db: Executor, { participationId, hintId }: HintKey): Promise<number | undefined> {
  const [row] = await db
    .select({ price: hintPurchases.price })
    .from(hintPurchases)
    .where(and(eq(hintPurchases.participationId, participationId), eq(hintPurchases.hintId, hintId)))
  return row?.price
}

/** Row-locks a team in a game, so that its purchases run one after another. */
export async function lockBuyer(db: Executor, participationId: number): Promise<void> {
  await db
    .select({ id: participations.id })
    .from(participations)
    .where(eq(participations.id, participationId))
    .for('no key update')
}

/** @returns undefined if the challenge does not exist */
export async function findOfferedHints(db: Executor, challengeId: number) {
  const [row] = await db
    .select({ hints: challenges.hints, pricedHints: challenges.pricedHints, allowsDebt: games.allowsDebt })
    .from(challenges)
    .innerJoin(games, eq(games.id, challenges.gameId))
    .where(eq(challenges.id, challengeId))
  return row
}

/** Returns the points that a team paid for hints. The scoreboard subtracts these points from the score of the team. */
export async function sumPaidPrices(db: Executor, participationId: number): Promise<number> {
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
}

export async function insertPurchase(db: Executor, purchase: typeof hintPurchases.$inferInsert): Promise<void> {
  await db.insert(hintPurchases).values(purchase)
}

export async function insertPurchaseEvent(db: Executor, event: typeof events.$inferInsert): Promise<void> {
  await db.insert(events).values(event)
}
