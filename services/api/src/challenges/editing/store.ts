// Reads and writes the rows of challenges. All edits of a challenge use `editChallenge`. Rules: docs/contract/challenges.md#editing.
import { isDeepStrictEqual } from 'node:util'
import type { ChallengeFlag } from '@capstan/challenge-files/challenge/challenge'
import type { ChallengeFileRef } from '@capstan/contract/challenge'
import { isDeadlineBeforeRelease } from '@capstan/contract/challenge-parts'
import type { ChallengeContainer } from '@capstan/contract/containers'
import type { GameNotice } from '@capstan/contract/games'
import { gamePhaseOf } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import { normalizeUnlockRule, type UnlockRule } from '@capstan/contract/unlock'
import type { Executor, Transaction } from '@capstan/db/client'
import { lockGame, timesOfGame } from '../../games/editing/service.ts'
import { announceNotices, insertGeneratedNotice } from '../../games/notices/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { endInstances, finishInstanceEndings } from '../../instances/lifecycle/endings.ts'
import { addMissingFileReferences, deleteUnreferencedFiles, releaseFiles } from '../../server/files/service.ts'
import { listNoticesCausedByEdit, mergeSecretValues, refuseInvalidUnlockRules } from './policy.ts'
import { type ChallengeRow, type ChallengeValues, createChallengeRepository } from './repository.ts'
import {
  attachmentRowValuesOf,
  type ChallengeRows,
  columnsOfChallenge,
  type StoredChallenge,
  secretValuesOfContainer,
  storedChallengeOf,
} from './rows.ts'

/** @throws Problem `challenge.unknown` */
export async function getChallengeRow(executor: Executor, gameId: number, id: number): Promise<ChallengeRow> {
  const row = await createChallengeRepository(executor).find(gameId, id)
  if (!row) throw new Problem('challenge.unknown')
  return row
}

/** Row-locks a challenge. @throws Problem `challenge.unknown` */
export async function lockChallenge(executor: Executor, gameId: number, id: number): Promise<ChallengeRow> {
  const row = await createChallengeRepository(executor).lock(gameId, id)
  if (!row) throw new Problem('challenge.unknown')
  return row
}

/**
 * Returns all rows of the challenges, in the order of `challenges`. The number of statements does not depend on the number of
 * challenges.
 */
export async function listStoredChallengeRows(executor: Executor, challenges: readonly ChallengeRow[]): Promise<ChallengeRows[]> {
  const repository = createChallengeRepository(executor)
  const attachments = await repository.listAttachments(challenges.flatMap(({ attachmentId }) => attachmentId ?? []))
  const flags = Map.groupBy(await repository.listFlags(challenges.map(({ id }) => id)), ({ challengeId }) => challengeId)
  return challenges.map((challenge) => ({
    challenge,
    attachment: challenge.attachmentId === null ? undefined : attachments.get(challenge.attachmentId),
    flags: flags.get(challenge.id) ?? [],
  }))
}

export async function getStoredChallengeRows(executor: Executor, challenge: ChallengeRow): Promise<ChallengeRows> {
  const [rows = { challenge, attachment: undefined, flags: [] }] = await listStoredChallengeRows(executor, [challenge])
  return rows
}

function hashesOf(files: readonly (ChallengeFileRef | null)[]): string[] {
  return files.flatMap((file) => (file !== null && 'hash' in file ? [file.hash] : []))
}

async function insertFiles(executor: Executor, files: readonly (ChallengeFileRef | null)[]): Promise<number[]> {
  return createChallengeRepository(executor).insertAttachments(
    files.flatMap((file) => (file === null ? [] : [attachmentRowValuesOf(file)])),
  )
}

async function insertFlags(executor: Executor, challengeId: number, added: readonly ChallengeFlag[]): Promise<void> {
  const ids = (
    await insertFiles(
      executor,
      added.map(({ file }) => file),
    )
  ).values()
  await createChallengeRepository(executor).insertFlags(
    added.map(({ flag, kind = 'Exact', file, points = null }) => ({
      challengeId,
      flag,
      kind,
      points,
      attachmentId: file === null ? null : (ids.next().value ?? null),
    })),
  )
}

/**
 * Inserts a challenge. The caller must count the uses of its files.
 * @param columns values of secret variables, and the number of solves
 */
export async function insertChallenge(
  executor: Executor,
  gameId: number,
  challenge: StoredChallenge,
  columns: Partial<Pick<ChallengeRow, 'acceptedCount' | 'containerSecrets' | 'furtherContainerSecrets'>> = {},
): Promise<ChallengeRow> {
  const [attachmentId] = await insertFiles(executor, [challenge.attachment])
  const values = {
    ...columnsOfChallenge(challenge),
    isReleased: challenge.release === null,
    ...columns,
    gameId,
    attachmentId: attachmentId ?? null,
  }
  const row = await createChallengeRepository(executor).insert(values)
  await insertFlags(executor, row.id, challenge.flags)
  return row
}

/**
 * Returns the columns with the values of secret variables. A variable without a value retains its stored value. Containers are
 * matched by name.
 */
function secretColumnsOf(row: ChallengeRow, { containers: [first, ...others] }: StoredChallenge) {
  const merged = (container: ChallengeContainer) =>
    mergeSecretValues(secretValuesOfContainer(row, container.name), container.definition.secrets)
  const byName = others.map((container) => [container.name, merged(container)] as const)
  return {
    containerSecrets: first ? merged(first) : {},
    furtherContainerSecrets: Object.fromEntries(byName.filter(([, secrets]) => Object.keys(secrets).length > 0)),
  }
}

/**
 * Writes the differences between the stored and the changed challenge. The caller must have locked the row of the challenge.
 * @returns the hashes of files that the challenge no longer uses
 */
async function writeChallenge(
  executor: Executor,
  rows: ChallengeRows,
  before: StoredChallenge,
  after: StoredChallenge,
  now: Date,
) {
  const repository = createChallengeRepository(executor)
  const { id, attachmentId } = rows.challenge
  const retained = new Set(after.flags.map((flag) => flag.id))
  const removed = rows.flags.filter((flag) => !retained.has(flag.id))
  const added = after.flags.filter((flag) => flag.id === undefined)
  const hasNewFile = !isDeepStrictEqual(before.attachment, after.attachment)
  // Insert the new attachments first. Otherwise, the removal of an old attachment could delete a file that a new attachment also
  // uses.
  await insertFlags(executor, id, added)
  const [newId] = hasNewFile ? await insertFiles(executor, [after.attachment]) : []
  await addMissingFileReferences(
    executor,
    hashesOf([...added.map(({ file }) => file), ...(hasNewFile ? [after.attachment] : [])]),
  )
  const wanted: ChallengeValues = {
    ...columnsOfChallenge(after),
    isReleased: after.release === null || after.release <= now.getTime(),
    ...secretColumnsOf(rows.challenge, after),
    attachmentId: hasNewFile ? (newId ?? null) : attachmentId,
  }
  const known: ChallengeValues = rows.challenge
  const changed = Object.entries(wanted).filter(
    ([column, value]) => !isDeepStrictEqual(value, known[column as keyof ChallengeValues]),
  )
  if (changed.length > 0) await repository.update(id, Object.fromEntries(changed))
  const pointsBefore = new Map(rows.flags.map((flag) => [flag.id, flag.points]))
  for (const { id: flagId, points = null } of after.flags)
    if (flagId !== undefined && points !== pointsBefore.get(flagId)) await repository.setFlagPoints(flagId, points)
  await repository.deleteFlags(
    id,
    removed.map((flag) => flag.id),
  )
  const hashes = await repository.deleteAttachments([
    ...removed.flatMap(({ attachment }) => attachment?.id ?? []),
    ...(hasNewFile && attachmentId !== null ? [attachmentId] : []),
  ])
  await releaseFiles(executor, hashes)
  return hashes
}

type ChallengeChange = Readonly<{
  id: number
  /** Returns the changed challenge. @throws Problem if the change is invalid */
  change: (stored: StoredChallenge, rows: ChallengeRows) => StoredChallenge
  /** Writes additional rows in the same transaction. */
  also?: ((transaction: Transaction) => Promise<unknown>) | undefined
}>

type Edited = Readonly<{ before: ChallengeRows; after: ChallengeRows }>

/** Result of `writeChallengeEdits` and input of `finishChallengeEdits`. */
export type Edits = Readonly<{
  edited: readonly Edited[]
  /** Hashes of files that the challenges no longer use. */
  hashes: readonly (string | null)[]
  /** Ids of instances that the transaction ended. */
  ended: readonly string[]
  written: readonly GameNotice[]
}>

/**
 * Checks the unlock rules of a game. The caller has locked the game, so concurrent edits cannot create a cycle together.
 * @throws Problem `challenge.prerequisite`, `challenge.unlock-cycle`
 */
export async function assertValidUnlockRules(executor: Executor, gameId: number): Promise<void> {
  const refusal = refuseInvalidUnlockRules(await createChallengeRepository(executor).list(gameId))
  if (refusal) throw refusal
}

/**
 * Stores the unlock rules of new challenges, whose prerequisites must already be inserted. The caller has locked the game.
 * @throws Problem `challenge.unlock-cycle`
 */
export async function storeUnlockRules(
  executor: Executor,
  gameId: number,
  links: readonly Readonly<{ id: number; rule: UnlockRule | null }>[],
): Promise<void> {
  const ruled = links.filter(({ rule }) => rule !== null)
  if (ruled.length === 0) return
  const repository = createChallengeRepository(executor)
  for (const { id, rule } of ruled) await repository.update(id, { unlockRule: normalizeUnlockRule(rule) })
  await assertValidUnlockRules(executor, gameId)
}

/**
 * Writes edits of challenges in the caller's transaction, with the effects that `editChallenges` describes. After the commit, the
 * caller must call `finishChallengeEdits`.
 */
export async function writeChallengeEdits(
  deps: InstanceDeps,
  transaction: Transaction,
  gameId: number,
  changes: readonly ChallengeChange[],
): Promise<Edits> {
  // Lock the game, so that no team joins while challenges are assigned to all teams.
  const game = await lockGame(transaction, gameId)
  const now = deps.clock.now()
  const isRunning = gamePhaseOf(timesOfGame(game), now) === 'running'
  const edited: Edited[] = []
  const [hashes, ended, written]: [(string | null)[], string[], GameNotice[]] = [[], [], []]
  // Lock in the same order in all calls, so that deadlocks are impossible.
  for (const { id, change, also } of changes.toSorted((one, other) => one.id - other.id)) {
    const before = await getStoredChallengeRows(transaction, await lockChallenge(transaction, gameId, id))
    const stored = storedChallengeOf(before)
    const changed = change(stored, before)
    if (isDeadlineBeforeRelease(changed) && !isDeadlineBeforeRelease(stored)) throw new Problem('challenge.times')
    hashes.push(...(await writeChallenge(transaction, before, stored, changed, now)))
    const after = await getStoredChallengeRows(transaction, await getChallengeRow(transaction, gameId, id))
    const [was, is] = [before.challenge, after.challenge]
    if (is.isEnabled) await createChallengeRepository(transaction).createAssignments(gameId, id)
    if (was.isShown && !is.isShown) ended.push(...(await endInstances(deps, transaction, { challengeId: id, teamsOnly: true })))
    for (const notice of listNoticesCausedByEdit(was, is, isRunning))
      written.push(await insertGeneratedNotice(deps, transaction, gameId, notice, is))
    await also?.(transaction)
    edited.push({ before, after })
  }
  const hasNewRule = edited.some(
    ({ before, after }) => !isDeepStrictEqual(before.challenge.unlockRule, after.challenge.unlockRule),
  )
  if (hasNewRule) await assertValidUnlockRules(transaction, gameId)
  return { edited, hashes, ended, written }
}

/** Ends instances, announces notices and deletes files after the transaction of edits. */
export async function finishChallengeEdits(deps: InstanceDeps, gameId: number, { hashes, ended, written }: Edits): Promise<void> {
  await finishInstanceEndings(deps, ended)
  announceNotices(deps, gameId, written)
  await deleteUnreferencedFiles(deps, hashes)
}

/**
 * Changes challenges of a game in one transaction. An enabled challenge is assigned to all teams. If players no longer see a
 * challenge, the instances of teams end. Writes notices, deletes unused files, and releases challenges whose release is due.
 * @returns the rows of the challenges before and after the change
 * @throws Problem `game.unknown`, `challenge.unknown`, `challenge.times`, `file.unknown`, and the problems of
 * `assertValidUnlockRules`
 */
export async function editChallenges(
  deps: InstanceDeps,
  gameId: number,
  changes: readonly ChallengeChange[],
): Promise<readonly Edited[]> {
  const edits = await deps.db.transaction((transaction) => writeChallengeEdits(deps, transaction, gameId, changes))
  await finishChallengeEdits(deps, gameId, edits)
  return edits.edited
}

/** Changes one challenge in the same way as `editChallenges`. */
export async function editChallenge(
  deps: InstanceDeps,
  { gameId, ...change }: ChallengeChange & Readonly<{ gameId: number }>,
): Promise<Edited> {
  const [edited] = await editChallenges(deps, gameId, [change])
  if (!edited) throw new Error('An edit returned no challenge')
  return edited
}
