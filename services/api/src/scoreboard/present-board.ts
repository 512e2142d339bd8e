import type { Scoreboard } from '@capstan/contract/scoreboard'
import type { Executor } from '@capstan/db/client'
import { buildScoreboard } from '../scoring/ranking.ts'
import { loadScoreboardFacts } from './facts-repository.ts'

/** The scoreboard built from what is stored now, past the cache; undefined: there is no such game. */
export const buildPresentScoreboard = async (db: Executor, gameId: number, now: Date): Promise<Scoreboard | undefined> => {
  const facts = await loadScoreboardFacts(db, gameId, now)
  return facts && buildScoreboard(facts)
}
