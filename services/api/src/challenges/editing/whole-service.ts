// Reads and writes all fields of a challenge in one call. Rules: docs/contract/challenges.md#whole-challenges.
import { createHash } from 'node:crypto'
import { type ChallengeFlag, containerOf, withUsedParts } from '@capstan/challenge-files/challenge/challenge'
import { flagsOnlyIn } from '@capstan/challenge-files/challenge/flags'
import { plainReach } from '@capstan/challenge-files/challenge/read'
import { plainDefinition } from '@capstan/challenge-files/format/container'
import {
  type Challenge,
  type ChallengeFileRef,
  hasContainer,
  hasSharedFlags,
  type WholeChallenge,
} from '@capstan/contract/challenge'
import { tidyFileName } from '@capstan/contract/file-name'
import { refuseTemplate } from '@capstan/contract/flag-templates/check'
import type { GameNotice } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import { phaseOf } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import { canBeGuarded } from '@capstan/contract/reach'
import { tidyTags } from '@capstan/contract/tags'
import type { Executor, Transaction } from '@capstan/db/client'
import { getGame, lockGame, timesOf } from '../../games/editing/service.ts'
import { announceNotices, insertGeneratedNotice } from '../../games/notices/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { announceEndings, endInstances } from '../../instances/lifecycle/endings.ts'
import { confirmFileUses, releaseFiles, sweepFiles } from '../../server/files/service.ts'
import { checkFlag } from './flag-service.ts'
import { containerAfter, isWebAddress, noticesOfEdit } from './policy.ts'
import { type ChallengeRow, challengeRepository } from './repository.ts'
import { attachmentValuesOf, type ChallengeRows, challengeOfRows, columnsOf } from './rows.ts'

async function readRows(executor: Executor, challenge: ChallengeRow): Promise<ChallengeRows> {
  const repository = challengeRepository(executor)
  const attachment = challenge.attachmentId === null ? undefined : await repository.findAttachment(challenge.attachmentId)
  return { challenge, attachment, flags: await repository.listFlags(challenge.id) }
}

function versionOf(challenge: Challenge): string {
  return createHash('sha256').update(JSON.stringify(challenge)).digest('hex')
}

/** @throws Problem `request.invalid` for an invalid address */
function normalizeFile(file: ChallengeFileRef, at: string): ChallengeFileRef {
  if ('hash' in file) return { hash: file.hash, name: tidyFileName(file.name) }
  const url = file.url.trim()
  if (!isWebAddress(url)) throw new Problem('request.invalid', { detail: `${at}/url` })
  return { url }
}

/** Normalizes a challenge, so that equivalent challenges are equal. @throws Problem `request.invalid` */
function normalizeChallenge(challenge: Challenge): Challenge {
  return withUsedParts({
    ...challenge,
    title: challenge.title.trim(),
    tags: tidyTags(challenge.tags),
    template: challenge.template.trim(),
    attachmentName: challenge.attachmentName.trim(),
    attachment: challenge.attachment && normalizeFile(challenge.attachment, '/challenge/attachment'),
    flags: challenge.flags.map(({ flag, kind = 'Exact', file }, index) => ({
      flag: kind === 'Pattern' ? flag : flag.trim(),
      file: file && normalizeFile(file, `/challenge/flags/${index}/file`),
      ...(kind !== 'Exact' && { kind }),
    })),
    containers: challenge.containers.map(({ image, reach, definition, ...container }) => ({
      ...container,
      image: image.trim(),
      reach: plainReach(reach),
      definition: {
        ...plainDefinition(definition, container.port),
        ...(definition.secrets && { secrets: definition.secrets }),
      },
    })),
  })
}

/** @throws Problem `challenge.*`, `flag.*` or `request.invalid` for parts that contradict each other */
function refuseContradictions(before: ChallengeRow, challenge: Challenge): void {
  const { type, flags, enabled, template } = challenge
  const { reach } = containerOf(challenge)
  if (type !== before.type) throw new Problem('request.invalid', { detail: `/challenge/type: it stays ${before.type}` })
  if (challenge.title === '') throw new Problem('request.invalid', { detail: '/challenge/title' })
  if (challenge.attachmentName === '') throw new Problem('request.invalid', { detail: '/challenge/attachmentName' })
  if (reach.isGuarded === true && !canBeGuarded(reach)) throw new Problem('challenge.guard')
  for (const [index, { flag, kind = 'Exact' }] of flags.entries()) checkFlag({ flag, kind }, `/challenge/flags/${index}/flag`)
  const rules = flags.filter(({ kind }) => kind !== undefined)
  if (rules.length > 0 && !hasSharedFlags(type)) throw new Problem('flag.rules')
  if (rules.length > Limits.flagRulesMax) throw new Problem('flag.rules-many')
  if (enabled && type !== 'DynamicContainer' && flags.length === 0) throw new Problem('challenge.no-flag')
  const refusal = refuseTemplate(template)
  if (refusal !== undefined) throw new Problem(refusal)
}

/** Returns the columns that the type of the challenge uses. The other columns do not change. */
function usedColumnsOf(challenge: Challenge) {
  const {
    type: _,
    isEnabled,
    title,
    category,
    tags,
    level,
    content,
    originalScore,
    minScoreRate,
    difficulty,
    hints,
    ...parts
  } = columnsOf(challenge)
  const { flagTemplate, fileName, container: __, ...run } = parts
  return {
    ...{ isEnabled, title, category, tags, level, content, originalScore, minScoreRate, difficulty, hints },
    ...(challenge.type === 'DynamicContainer' && { flagTemplate }),
    ...(challenge.type === 'DynamicAttachment' && { fileName }),
    ...(hasContainer(challenge.type) && run),
  }
}

function sameFile(left: ChallengeFileRef | null, right: ChallengeFileRef | null): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

async function present({ config }: Pick<InstanceDeps, 'config'>, executor: Executor, row: ChallengeRow): Promise<WholeChallenge> {
  const { choices } = config.instances
  const challenge = challengeOfRows(await readRows(executor, row))
  return { id: row.id, version: versionOf(challenge), solvers: row.acceptedCount, choices, challenge }
}

async function insertFiles(executor: Executor, given: readonly ChallengeFileRef[]): Promise<number[]> {
  const ids = await challengeRepository(executor).insertAttachments(given.map(attachmentValuesOf))
  await confirmFileUses(
    executor,
    given.flatMap((file) => ('hash' in file ? [file.hash] : [])),
  )
  return ids
}

/** Adds and deletes flags; unchanged flags retain their ids. @returns ids of attachments that no flag refers to any more */
async function writeFlags(executor: Executor, { challenge, flags }: ChallengeRows, wanted: readonly ChallengeFlag[]) {
  const repository = challengeRepository(executor)
  const current = challengeOfRows({ challenge, attachment: undefined, flags }).flags.map((flag, index) => ({
    ...flag,
    row: flags[index],
  }))
  const added = flagsOnlyIn(wanted, current)
  const ids = (
    await insertFiles(
      executor,
      added.flatMap(({ file }) => file ?? []),
    )
  ).values()
  await repository.insertFlags(
    added.map(({ flag, kind = 'Exact', file }) => ({
      challengeId: challenge.id,
      flag,
      kind,
      attachmentId: file === null ? null : (ids.next().value ?? null),
    })),
  )
  const outdated = flagsOnlyIn(current, wanted).flatMap(({ row }) => row ?? [])
  for (const { id } of outdated) await repository.deleteFlag(challenge.id, id)
  return outdated.flatMap(({ attachment }) => attachment?.id ?? [])
}

/** Writes a challenge in a transaction. @returns a function to call after the commit */
async function write(
  deps: Pick<InstanceDeps, 'clock' | 'config'>,
  transaction: Transaction,
  gameId: number,
  id: number,
  { challenge: given, version }: { readonly challenge: Challenge; readonly version?: string | null },
) {
  const { config, clock } = deps
  const { choices } = config.instances
  // The lock blocks joins and reviews, so that every team gets its assignment of an enabled challenge.
  const game = await lockGame(transaction, gameId)
  const repository = challengeRepository(transaction)
  const before = await repository.lock(gameId, id)
  if (!before) throw new Problem('challenge.unknown')
  const rows = await readRows(transaction, before)
  const current = challengeOfRows(rows)
  if (version != null && version !== versionOf(current)) throw new Problem('challenge.changed')
  const challenge = normalizeChallenge(given)
  refuseContradictions(before, challenge)
  const { port, definition } = containerOf(challenge)
  const run = hasContainer(before.type) ? containerAfter({ ...before, exposedPort: port }, definition, choices) : { values: {} }
  if ('faults' in run)
    throw new Problem('request.invalid', { detail: run.faults.map(({ at, fault }) => `${at}: ${fault}`).join(', ') })
  const released = challenge.type === 'DynamicContainer' ? [] : await writeFlags(transaction, rows, challenge.flags)
  const attachment: { attachmentId?: number | null } = {}
  if (!sameFile(current.attachment, challenge.attachment)) {
    const [attachmentId] = await insertFiles(transaction, challenge.attachment === null ? [] : [challenge.attachment])
    attachment.attachmentId = attachmentId ?? null
    if (before.attachmentId !== null) released.push(before.attachmentId)
  }
  const after = await repository.update(id, { ...usedColumnsOf(challenge), ...run.values, ...attachment })
  const hashes = await repository.deleteAttachments(released)
  await releaseFiles(transaction, hashes)
  if (after.isEnabled) await repository.createAssignments(gameId, id)
  const ended =
    before.isEnabled && !after.isEnabled ? await endInstances(deps, transaction, { challengeId: id, teamsOnly: true }) : []
  const written: GameNotice[] = []
  const isRunning = phaseOf(timesOf(game), clock.now()) === 'running'
  for (const notice of noticesOfEdit(before, after, isRunning))
    written.push(await insertGeneratedNotice(deps, transaction, gameId, notice, after))
  return { whole: await present(deps, transaction, after), ended, hashes, written }
}

/** Lists challenges by id. @throws Problem `game.unknown` */
export async function listWholeChallenges(deps: Pick<InstanceDeps, 'config' | 'db'>, gameId: number): Promise<WholeChallenge[]> {
  const { db } = deps
  await getGame(deps, gameId)
  const listed: WholeChallenge[] = []
  for (const row of await challengeRepository(db).list(gameId)) listed.push(await present(deps, db, row))
  return listed
}

/** @throws Problem `challenge.unknown` */
export async function getWholeChallenge(
  deps: Pick<InstanceDeps, 'config' | 'db'>,
  gameId: number,
  id: number,
): Promise<WholeChallenge> {
  const { db } = deps
  const row = await challengeRepository(db).find(gameId, id)
  if (!row) throw new Problem('challenge.unknown')
  return present(deps, db, row)
}

/**
 * Replaces all fields that organizers edit.
 * @param also writes more rows in the same transaction
 * @throws Problem `game.unknown`, `challenge.unknown`, `challenge.changed`, `file.unknown`, or as `refuseContradictions`
 */
export async function setWholeChallenge(
  deps: InstanceDeps,
  gameId: number,
  id: number,
  given: { readonly challenge: Challenge; readonly version?: string | null },
  also?: (transaction: Transaction) => Promise<unknown>,
): Promise<WholeChallenge> {
  const { db } = deps
  const { whole, ended, hashes, written } = await db.transaction(async (transaction) => {
    const result = await write(deps, transaction, gameId, id, given)
    await also?.(transaction)
    return result
  })
  await announceEndings(deps, ended)
  await announceNotices(deps, gameId, written)
  await sweepFiles(deps, hashes)
  return whole
}
