import type { Scoreboard } from '@capstan/contract/scoreboard'
import { buildScoreboard } from '../../rules/scoring/ranking.ts'
import { type FactsSource, loadGameFacts } from './facts-repository.ts'

/** Builds a scoreboard from the stored rows, without the cache. @returns undefined if the game does not exist */
export async function buildPresentScoreboard(
  { reader }: FactsSource,
  gameId: number,
  updatedAt: Date,
): Promise<Scoreboard | undefined> {
  const facts = await reader.snapshot((at) => loadGameFacts(at, gameId))
  return facts && buildScoreboard({ ...facts, updatedAt })
}
