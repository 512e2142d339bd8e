import type { Executor } from '@capstan/db/client'
import { solveRepository } from './repository.ts'

/** Determines again which solves count. Called after a change of the game's end. */
export async function recountSolvesAfterNewEnd(transaction: Executor, gameId: number, end: Date): Promise<void> {
  const solves = solveRepository(transaction)
  await solves.updateCounted(gameId, end)
  await solves.recountAccepted(gameId)
}

/** Recalculates `accepted_count` of every challenge of a game from the stored solves. */
export function recountSolves(executor: Executor, gameId: number): Promise<void> {
  return solveRepository(executor).recountAccepted(gameId)
}
