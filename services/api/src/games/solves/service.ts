import type { Executor } from '@capstan/db/client'
import { updateFoundFlags } from './found-flag-repository.ts'
import { createSolveRepository } from './repository.ts'

/** Determines again which solves count. Call this after a change of the game's end. */
export async function recheckSolvesAfterEndChange(transaction: Executor, gameId: number, end: Date): Promise<void> {
  const solves = createSolveRepository(transaction)
  await solves.updateCounted(gameId, end)
  await solves.recountAccepted(gameId)
}

/** Recalculates `accepted_count` of every challenge of a game from the stored solves. */
export function recountAcceptedSolves(executor: Executor, gameId: number): Promise<void> {
  return createSolveRepository(executor).recountAccepted(gameId)
}

/** Derives the found flags of a challenge from its stored submissions. The caller has locked the challenge. */
export function deriveFoundFlags(transaction: Executor, challengeId: number, end: Date): Promise<void> {
  return updateFoundFlags(transaction, { challengeId }, end)
}

export { sqlOfSolvingSubmissions } from './found-flag-repository.ts'
