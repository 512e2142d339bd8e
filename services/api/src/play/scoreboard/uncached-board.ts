import type { Scoreboard } from '@capstan/contract/scoreboard'
import { buildScoreboard } from '../../rules/scoring/ranking.ts'
import type { FactsSource } from './facts-repository.ts'
import { boardFactsOfScoreFold, loadGameSource } from './game-source.ts'

/** Builds a scoreboard from the records, without the cache. @returns undefined if the game does not exist */
export async function buildUncachedScoreboard(
  { reader }: FactsSource,
  gameId: number,
  updatedAt: Date,
): Promise<Scoreboard | undefined> {
  const source = await reader.snapshot((at) => loadGameSource(at, gameId))
  const facts = source && boardFactsOfScoreFold(source.present, source)
  return facts && buildScoreboard({ ...facts, updatedAt })
}
