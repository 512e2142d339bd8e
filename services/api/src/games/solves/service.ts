import type { Executor } from '@capstan/db/client'
import { solveRepository } from './repository.ts'

/** Settles all solves of a game again after a change of its end. */
export async function settleSolves(transaction: Executor, gameId: number, end: Date): Promise<void> {
  const solves = solveRepository(transaction)
  await solves.settle(gameId, end)
  await solves.recountAccepted(gameId)
}

/** Sets the accepted counts of a game from the stored solves. */
export function recountSolves(executor: Executor, gameId: number): Promise<void> {
  return solveRepository(executor).recountAccepted(gameId)
}
