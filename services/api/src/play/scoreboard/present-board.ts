import type { Scoreboard } from '@capstan/contract/scoreboard'
import { buildScoreboard } from '../../rules/scoring/ranking.ts'
import { type FactsSource, loadGameFacts } from './facts-repository.ts'

/** Returns the scoreboard built from what is stored now, past the cache, or undefined if there is no such game. */
export async function buildPresentScoreboard(
  { reader }: FactsSource,
  gameId: number,
  updatedAt: Date,
): Promise<Scoreboard | undefined> {
  const facts = await reader.snapshot((at) => loadGameFacts(at, gameId))
  return facts && buildScoreboard({ ...facts, updatedAt })
}
