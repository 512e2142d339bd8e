import type { Challenge } from '@capstan/contract/challenge'
import type { Executor } from '@capstan/db/client'
import { type ChallengeRow, challengeRepository } from './repository.ts'
import { challengeOfRows } from './rows.ts'
import { insertChallenge, listRowsOf } from './store.ts'

export type NumberedChallenge = Readonly<{
  id: number
  challenge: Challenge
}>

/** Reads and writes complete challenges for export and import. Rules: docs/contract/challenges.md#import-and-export. */
export const challengeExchange = {
  /** Inserts disabled challenges. Before, the caller must store their files, count the uses, and lock the game. */
  async insert(executor: Executor, gameId: number, challenges: readonly Challenge[]): Promise<ChallengeRow[]> {
    const written: ChallengeRow[] = []
    for (const challenge of challenges) written.push(await insertChallenge(executor, gameId, { ...challenge, enabled: false }))
    return written
  },

  async titles(executor: Executor, gameId: number): Promise<Set<string>> {
    return new Set((await challengeRepository(executor).list(gameId)).map(({ title }) => title))
  },

  async list(executor: Executor, gameId: number): Promise<NumberedChallenge[]> {
    const listed = await listRowsOf(executor, await challengeRepository(executor).list(gameId))
    return listed.map((rows) => ({ id: rows.challenge.id, challenge: challengeOfRows(rows) }))
  },
}
