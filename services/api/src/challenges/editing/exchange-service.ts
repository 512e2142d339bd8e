// Reads and writes complete challenges for export and import. Rules: docs/contract/challenges.md#import-and-export.
import type { Challenge } from '@capstan/contract/challenge'
import type { Executor, Transaction } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { applyFieldChange } from './policy.ts'
import { type ChallengeRow, createChallengeRepository } from './repository.ts'
import { challengeOfRows } from './rows.ts'
import { type Edits, insertChallenge, listStoredChallengeRows, storeUnlockRules, writeChallengeEdits } from './store.ts'

export type NumberedChallenge = Readonly<{
  id: number
  challenge: Challenge
}>

/** Challenge to import. It refers to its prerequisites by name. */
export type NamedChallenge = Readonly<{
  challenge: Challenge
  name: string
  after: readonly string[]
}>

/**
 * Inserts challenges as disabled. The caller must first store their files, count the uses of the files, and lock the game. A
 * prerequisite that is not in the list is dropped.
 * @throws Problem `challenge.unlock-cycle`
 */
export async function insertChallenges(
  executor: Executor,
  gameId: number,
  challenges: readonly NamedChallenge[],
): Promise<ChallengeRow[]> {
  const written: ChallengeRow[] = []
  for (const { challenge } of challenges) written.push(await insertChallenge(executor, gameId, { ...challenge, enabled: false }))
  const ids = new Map(challenges.map(({ name }, index) => [name, written[index]?.id]))
  await storeUnlockRules(
    executor,
    gameId,
    challenges.map(({ challenge, after }, index) => ({
      id: written[index]?.id ?? 0,
      rule: challenge.unlock && { ...challenge.unlock, after: after.flatMap((name) => ids.get(name) ?? []) },
    })),
  )
  return written
}

/** Enables challenges. After the transaction, the caller passes the result to `finishChallengeEdits`. @throws Problem `challenge.no-flag` */
export function enableChallenges(
  deps: InstanceDeps,
  transaction: Transaction,
  gameId: number,
  ids: readonly number[],
): Promise<Edits> {
  return writeChallengeEdits(
    deps,
    transaction,
    gameId,
    ids.map((id) => ({ id, change: (stored) => applyFieldChange(stored, { enabled: true }) })),
  )
}

export async function listChallengeTitles(executor: Executor, gameId: number): Promise<Set<string>> {
  return new Set((await createChallengeRepository(executor).list(gameId)).map(({ title }) => title))
}

export async function listChallengesForExport(executor: Executor, gameId: number): Promise<NumberedChallenge[]> {
  const listed = await listStoredChallengeRows(executor, await createChallengeRepository(executor).list(gameId))
  return listed.map((rows) => ({ id: rows.challenge.id, challenge: challengeOfRows(rows) }))
}
