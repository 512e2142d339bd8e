// Reads and writes all fields of a challenge in one call. Rules: docs/contract/challenges.md#whole-challenges.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { createDefaultChallenge, resetUnusedSettings, trimTexts } from '@capstan/challenge-files/challenge/challenge'
import { findChallengeFaults } from '@capstan/challenge-files/challenge/faults'
import { matchFlags } from '@capstan/challenge-files/challenge/flags'
import {
  addedChallengeFields,
  type Challenge,
  type ChallengeChange,
  type ChallengeFileRef,
  type ChallengeWrite,
  type FullChallenge,
} from '@capstan/contract/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import type { ContainerChoices } from '@capstan/contract/container-definition'
import type { ChallengeContainer } from '@capstan/contract/containers'
import { sanitizeFileName } from '@capstan/contract/file-name'
import { pickFields } from '@capstan/contract/pick-fields'
import { Problem } from '@capstan/contract/problems'
import { normalizeUnlockRule } from '@capstan/contract/unlock'
import type { Transaction } from '@capstan/db/client'
import { getGame } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { presentContainerInfo, presentInstanceEntry } from '../../instances/lifecycle/presenter.ts'
import { matchStoredHints } from '../../rules/scoring/hints.ts'
import { throwFault } from './flag-service.ts'
import { applyFieldChange, assertValidContainers, isWebAddress } from './policy.ts'
import { createChallengeRepository } from './repository.ts'
import {
  type ChallengeRows,
  challengeOfRows,
  normalizeContainer,
  replaceFieldsUsedByChallengeType,
  type StoredChallenge,
} from './rows.ts'
import {
  type Edits,
  editChallenge,
  editChallenges,
  getChallengeRow,
  getStoredChallengeRows,
  insertChallenge,
  listStoredChallengeRows,
  writeChallengeEdits,
} from './store.ts'

function versionOf(challenge: Challenge): string {
  return createHash('sha256').update(JSON.stringify(challenge)).digest('hex')
}

/** @throws Problem `request.invalid` for an invalid address */
function normalizeFile(file: ChallengeFileRef, at: string): ChallengeFileRef {
  if ('hash' in file) return { hash: file.hash, name: sanitizeFileName(file.name) }
  const url = file.url.trim()
  if (!isWebAddress(url)) throw new Problem('request.invalid', { detail: `${at}/url` })
  return { url }
}

/** Normalizes a challenge, so that equivalent challenges become equal. @throws Problem `request.invalid` */
function normalizeChallenge(challenge: Challenge): Challenge {
  const trimmed = trimTexts(challenge)
  return resetUnusedSettings({
    ...trimmed,
    unlock: normalizeUnlockRule(challenge.unlock),
    attachment: challenge.attachment && normalizeFile(challenge.attachment, '/challenge/attachment'),
    flags: trimmed.flags.map(({ flag, kind = 'Exact', file, points }, index) => ({
      flag,
      file: file && normalizeFile(file, `/challenge/flags/${index}/file`),
      ...(kind !== 'Exact' && { kind }),
      ...(points !== undefined && { points }),
    })),
    containers: trimmed.containers.map(normalizeContainer),
  })
}

/** Returns the flags of a request. If the client does not send the points of a flag, the points of the same stored flag remain. */
function writtenFlagsOf(given: ChallengeWrite['flags'], stored: StoredChallenge['flags']): Challenge['flags'] {
  const equal = matchFlags(
    given.map(({ points: _, ...flag }) => flag),
    stored,
  )
  return given.map(({ points, ...flag }, index) => {
    const written = points === undefined ? equal[index]?.points : points
    return { ...flag, ...(written != null && { points: written }) }
  })
}

/**
 * Returns the containers to store. A client of an earlier version sends only the first container, without its name. In this case,
 * the first container retains its name and networks, and all other containers remain unchanged.
 * @throws Problem `request.invalid` if one of several containers has no name
 */
function writtenContainersOf(given: ChallengeWrite['containers'], stored: StoredChallenge['containers']): ChallengeContainer[] {
  const [only, ...others] = given
  const [first = defaultContainer, ...further] = stored
  if (only && only.name === undefined && others.length === 0) return [{ ...first, ...only, name: first.name }, ...further]
  return given.map(({ name, ...container }, index) => {
    if (name === undefined) throw new Problem('request.invalid', { detail: `/challenge/containers/${index}/name: missing` })
    return { name, ...container }
  })
}

/** @throws Problem `challenge.*`, `flag.*` or `request.invalid` for settings that contradict each other */
function refuseContradictions(stored: StoredChallenge, challenge: Challenge, choices: ContainerChoices): void {
  const { type } = challenge
  if (type !== stored.type)
    throw new Problem('request.invalid', { detail: `/challenge/type: it cannot change from ${stored.type}` })
  // Do not check an unchanged template, because an earlier version may have accepted a template that is now invalid.
  const isOldTemplate = challenge.template === stored.template
  const [fault] = findChallengeFaults(challenge).filter(({ at }) => at !== '/template' || !isOldTemplate)
  if (fault) throwFault({ ...fault, at: `/challenge${fault.at}` })
  // Do not check unchanged containers, because they may contain old settings that are now forbidden.
  if (!hasContainer(type) || isDeepStrictEqual(challenge.containers, stored.containers.map(normalizeContainer))) return
  assertValidContainers(challenge.containers, stored.containers, choices)
}

type PresentDeps = Pick<InstanceDeps, 'config' | 'db' | 'runtime'>

/** Returns the sizes of the stored files of a challenge. A file that is used several times is listed once. */
function sizesOf({ attachment, flags }: ChallengeRows): FullChallenge['files'] {
  const files = [attachment, ...flags.map((flag) => flag.attachment)]
  const sizes = new Map(files.flatMap((file) => (file?.fileHash ? [[file.fileHash, file.sizeBytes ?? 0] as const] : [])))
  return [...sizes].map(([hash, bytes]) => ({ hash, bytes }))
}

async function presentAll({ config, db, runtime }: PresentDeps, listed: readonly ChallengeRows[]): Promise<FullChallenge[]> {
  const { choices, publicHost } = config.instances
  const tests = await createChallengeRepository(db).findTestInstances(listed.map(({ challenge }) => challenge.id))
  return listed.map((rows) => {
    const { id, acceptedCount: solvers } = rows.challenge
    const challenge = challengeOfRows(rows)
    const test = tests.get(id)
    const testContainer = test ? presentContainerInfo(test, presentInstanceEntry(test, runtime.exposure, publicHost)) : null
    return { id, version: versionOf(challenge), solvers, choices, testContainer, files: sizesOf(rows), challenge }
  })
}

async function present(deps: PresentDeps, rows: ChallengeRows): Promise<FullChallenge> {
  const [whole] = await presentAll(deps, [rows])
  if (!whole) throw new Problem('challenge.unknown')
  return whole
}

export async function listFullChallenges(deps: PresentDeps, gameId: number): Promise<FullChallenge[]> {
  const { db } = deps
  await getGame(deps, gameId)
  return presentAll(deps, await listStoredChallengeRows(db, await createChallengeRepository(db).list(gameId)))
}

/** @throws Problem `challenge.unknown` */
export async function getFullChallenge(deps: PresentDeps, gameId: number, id: number): Promise<FullChallenge> {
  const { db } = deps
  return present(deps, await getStoredChallengeRows(db, await getChallengeRow(db, gameId, id)))
}

/** Returns a stored challenge with the given fields. @throws Problem `request.invalid`, and the problems of `refuseContradictions` */
function replaceFields(stored: StoredChallenge, given: ChallengeWrite, choices: ContainerChoices): StoredChallenge {
  const challenge = normalizeChallenge({
    ...pickFields(stored, addedChallengeFields),
    ...given,
    hints: matchStoredHints(given.hints, stored.hints).map(({ text, price }) => ({ text, price })),
    flags: writtenFlagsOf(given.flags, stored.flags),
    containers: writtenContainersOf(given.containers, stored.containers),
  })
  refuseContradictions(stored, challenge, choices)
  return replaceFieldsUsedByChallengeType(challenge, stored)
}

/**
 * Inserts a challenge in the caller's transaction. After the commit, the caller must call `finishChallengeEdits`.
 * @throws Problem `game.unknown`, `file.unknown`, and the problems of `refuseContradictions`
 */
export async function createFullChallenge(
  deps: InstanceDeps,
  transaction: Transaction,
  gameId: number,
  given: ChallengeWrite,
): Promise<Readonly<{ id: number; edits: Edits }>> {
  const { title, category, type } = given
  const { id } = await insertChallenge(transaction, gameId, createDefaultChallenge(title, category, type))
  const change = (stored: StoredChallenge) => replaceFields(stored, given, deps.config.instances.choices)
  return { id, edits: await writeChallengeEdits(deps, transaction, gameId, [{ id, change }]) }
}

/**
 * Replaces all fields that organizers edit.
 * @param also a function that writes additional rows in the same transaction
 * @throws Problem `game.unknown`, `challenge.unknown`, `challenge.changed`, `file.unknown`, and the problems of
 * `refuseContradictions`
 */
export async function replaceChallenge(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  { challenge: given, version }: Readonly<{ challenge: ChallengeWrite; version?: string | null }>,
  also?: (transaction: Transaction) => Promise<unknown>,
): Promise<FullChallenge> {
  const { after } = await editChallenge(deps, {
    gameId,
    id,
    change: (stored, rows) => {
      if (version != null && version !== versionOf(challengeOfRows(rows))) throw new Problem('challenge.changed')
      return replaceFields(stored, given, deps.config.instances.choices)
    },
    also,
  })
  return present(deps, after)
}

/**
 * Changes single fields of challenges. If one change is invalid, no challenge changes.
 * @throws Problem `game.unknown`, `challenge.unknown`, and the problems of `applyFieldChange`
 */
export async function changeChallengeFields(
  deps: InstanceDeps,
  gameId: number,
  ids: readonly number[],
  change: ChallengeChange,
): Promise<FullChallenge[]> {
  const edited = await editChallenges(
    deps,
    gameId,
    ids.map((id) => ({ id, change: (stored) => applyFieldChange(stored, change) })),
  )
  return presentAll(
    deps,
    edited.map(({ after }) => after),
  )
}
