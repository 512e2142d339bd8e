import type { Scoreboard } from '@capstan/contract/scoreboard'
import type { Database } from '@capstan/db/client'
import { buildScoreboard } from '../scoring/ranking.ts'
import { loadGameFacts } from './facts-repository.ts'

/** The scoreboard built from what is stored now, past the cache; undefined: there is no such game. */
export const buildPresentScoreboard = async (db: Database, gameId: number, now: Date): Promise<Scoreboard | undefined> => {
  const facts = await loadGameFacts(db, gameId, now)
  return facts && buildScoreboard(facts)
}
