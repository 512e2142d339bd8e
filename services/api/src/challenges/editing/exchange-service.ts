// Reads and writes complete challenges for export and import. Rules: docs/contract/challenges.md#import-and-export.
import type { NamedChallenge } from '@capstan/challenge-files/challenge/challenge'
import type { Challenge, ChallengeFileRef } from '@capstan/contract/challenge'
import type { Executor, Transaction } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { applyFieldChange } from './policy.ts'
import { type ChallengeRow, createChallengeRepository } from './repository.ts'
import { challengeOfRows, type StoredChallenge } from './rows.ts'
import { type Edits, insertChallenge, listStoredChallengeRows, storeUnlockRules, writeChallengeEdits } from './store.ts'

export type NumberedChallenge = Readonly<{
  id: number
  challenge: Challenge
}>

/**
 * Inserts challenges. After all challenges are inserted, enables the challenges that are enabled in the list. As in an edit, each
 * team then gets its assignments, and players of a running game get a notice. The caller must first store the files, count the
 * uses of the files, and lock the game. A prerequisite that is not in the list is dropped.
 * @returns the rows, and edits that the caller passes to `finishChallengeEdits` after the transaction
 * @throws Problem `challenge.unlock-cycle`, `challenge.no-flag`
 */
export async function insertChallenges(
  deps: InstanceDeps,
  transaction: Transaction,
  gameId: number,
  challenges: readonly NamedChallenge<ChallengeFileRef>[],
): Promise<{ rows: readonly ChallengeRow[]; edits: Edits }> {
  const rows: ChallengeRow[] = []
  for (const { challenge } of challenges) rows.push(await insertChallenge(transaction, gameId, { ...challenge, enabled: false }))
  const ids = new Map(challenges.map(({ name }, index) => [name, rows[index]?.id]))
  await storeUnlockRules(
    transaction,
    gameId,
    challenges.map(({ challenge, after }, index) => ({
      id: rows[index]?.id ?? 0,
      rule: challenge.unlock && { ...challenge.unlock, after: after.flatMap((name) => ids.get(name) ?? []) },
    })),
  )
  const enabled = rows.filter((_, index) => challenges[index]?.challenge.enabled)
  const changes = enabled.map(({ id }) => ({
    id,
    change: (stored: StoredChallenge) => applyFieldChange(stored, { enabled: true }),
  }))
  return { rows, edits: await writeChallengeEdits(deps, transaction, gameId, changes) }
}

export async function listChallengeTitles(executor: Executor, gameId: number): Promise<Set<string>> {
  return new Set((await createChallengeRepository(executor).list(gameId)).map(({ title }) => title))
}

export async function listChallengesForExport(executor: Executor, gameId: number): Promise<NumberedChallenge[]> {
  const listed = await listStoredChallengeRows(executor, await createChallengeRepository(executor).list(gameId))
  return listed.map((rows) => ({ id: rows.challenge.id, challenge: challengeOfRows(rows) }))
}
