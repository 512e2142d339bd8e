import type { Executor } from '@capstan/db/client'
import { solveRepository } from './repository.ts'

/** Settles anew what is solved in a game whose end is another one now. */
export async function settleSolves(transaction: Executor, gameId: number, end: Date): Promise<void> {
  const solves = solveRepository(transaction)
  await solves.settle(gameId, end)
  await solves.recountAccepted(gameId)
}

/** Sets the accepted counts of a game to what is stored as solved. */
export function recountSolves(executor: Executor, gameId: number): Promise<void> {
  return solveRepository(executor).recountAccepted(gameId)
}
