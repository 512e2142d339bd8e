import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { chooseFreeName, safeFileName, type TakenNames } from '@capstan/challenge-files/safe-names'
import { nameOf } from '@capstan/challenge-files/tree'
import type { ImportReport } from '@capstan/contract/imports'
import type { Transaction } from '@capstan/db/client'
import { createGameKeys, openGameKey } from '../../rules/signing/game-keys.ts'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { defaultTokenPrefix, signTeamToken } from '../../rules/signing/team-token.ts'
import {
  addFileReferences,
  deleteUnreferencedFiles,
  type StoredFile,
  storeContentWithoutReference,
} from '../../server/files/service.ts'
import { openArchiveEntry } from '../archives/entry-stream.ts'
import { readArchiveInThread } from '../archives/reading-thread.ts'
import type { ImportDeps, ReceivedArchive, SentArchive } from '../archives/received-archive.ts'
import { writeZip } from '../archives/zip-writer.ts'
import { insertChallenge, storeUnlockRules } from '../editing/store.ts'
import type { ConvertOptions } from './ctfd-convert.ts'
import type { ImportPlan, PlannedFile, PlatformAnswers } from './plan.ts'
import { createImportQueries, createImportRepository } from './repository.ts'

/** Number of signatures that are computed without a pause. Other requests are processed in the pauses. */
const signedAtOnce = 200

const program = new URL('./ctfd-thread-main.ts', import.meta.url)

/** Returns the content of a challenge's file. Several source files are packed into one. */
async function contentOf(descriptor: number, { parts }: PlannedFile): Promise<Readable> {
  const [first, ...others] = parts
  if (first !== undefined && others.length === 0) return openArchiveEntry(descriptor, first)
  const taken: TakenNames = new Map()
  return writeZip(
    parts.map((part) => ({
      path: chooseFreeName(safeFileName(nameOf(part.path)), taken),
      open: async () => openArchiveEntry(descriptor, part),
    })),
  )
}

/** Stores the files of an import. If the transaction rolls back, the periodic cleanup of unused files removes them. */
async function stageFiles(
  deps: Pick<ImportDeps, 'blobs' | 'config' | 'db'>,
  descriptor: number,
  plan: ImportPlan,
  staged: Map<number, StoredFile>,
): Promise<void> {
  for (const { key, challenge } of plan.challenges) {
    const { attachment } = challenge
    if (attachment)
      staged.set(key, await storeContentWithoutReference(deps, await contentOf(descriptor, attachment), attachment.fileName))
  }
}

async function signTokens(teamIds: readonly number[], privateKey: Buffer): Promise<string> {
  const tokens: { id: number; token: string }[] = []
  for (const id of teamIds) {
    if (tokens.length % signedAtOnce === 0) await nextTurn()
    tokens.push({ id, token: signTeamToken(id, privateKey, defaultTokenPrefix) })
  }
  return JSON.stringify(tokens)
}

async function store(
  deps: Pick<ImportDeps, 'blobs' | 'clock' | 'config'>,
  transaction: Transaction,
  plan: ImportPlan,
  staged: ReadonlyMap<number, StoredFile>,
  authorId: string,
): Promise<number> {
  const { clock, config } = deps
  const repository = createImportRepository(transaction)
  const each = async (batches: readonly string[], insert: (batch: string) => Promise<void>): Promise<void> => {
    for (const batch of batches) await insert(batch)
  }
  const { divisions, title, summary, teamSize, teamLimit, questions, startsAt, endsAt, freezeAt } = plan.game
  const keys = createGameKeys(config.secretKey, cryptoRandom)
  const times = {
    startsAt: new Date(startsAt),
    endsAt: new Date(endsAt),
    writeupDeadline: new Date(endsAt),
    freezeAt: freezeAt === null ? null : new Date(freezeAt),
  }
  await repository.begin(times.startsAt)
  const gameId = await repository.insertGame(
    // CTFd has no bonuses for first solvers.
    {
      ...{ title, summary, teamMemberCountLimit: teamSize, teamLimit, questions, ...times, ...keys },
      ...{ hidden: true, practiceMode: false, bloodBonus: 0 },
    },
    divisions,
  )
  await each(plan.users, repository.insertUsers)
  await each(plan.teams, repository.insertTeams)
  await each(plan.members, repository.insertMembers)
  const tokens = await signTokens(await repository.listTeamIds(), openGameKey(keys, config.secretKey))
  await each(plan.participations, (batch) => repository.insertParticipations(gameId, batch, tokens))
  await each(plan.members, (batch) => repository.insertParticipants(gameId, batch))
  await each(plan.answers, (batch) => repository.insertAnswers(gameId, batch, clock.now()))
  const ids = new Map<number, number>()
  for (const { key, acceptedCount, challenge } of plan.challenges) {
    const file = staged.get(key)
    // Imported flags have no files.
    const flags = challenge.flags.map((flag) => ({ ...flag, file: null }))
    const stored = { ...challenge, flags, attachment: file ? { hash: file.hash, name: file.name } : null }
    const { id } = await insertChallenge(transaction, gameId, stored, { acceptedCount })
    await repository.insertChallengeId(key, id)
    ids.set(key, id)
  }
  await storeUnlockRules(
    transaction,
    gameId,
    plan.challenges.map(({ key, challenge: { unlock }, after }) => ({
      id: ids.get(key) ?? 0,
      rule: unlock && { ...unlock, after: after.flatMap((each) => ids.get(each) ?? []) },
    })),
  )
  await addFileReferences(deps, transaction, [...staged.values()])
  await repository.insertAssignments(gameId)
  await each(plan.submissions, (batch) => repository.insertSubmissions(gameId, batch))
  await each(plan.awards, (batch) => repository.insertAwards(gameId, batch))
  await each(plan.notices, (batch) => repository.insertNotices(gameId, batch))
  await each(plan.posts, (batch) => repository.insertPosts(authorId, batch))
  return gameId
}

function convert(
  { db, config, clock }: Pick<ImportDeps, 'clock' | 'config' | 'db'>,
  { descriptor }: ReceivedArchive,
): Promise<ImportPlan> {
  const lookups = createImportQueries(db)
  const given: ConvertOptions = { maxFileBytes: config.maxAttachmentBytes, now: clock.now() }
  const answer = async (name: string, asked: readonly unknown[]): Promise<unknown> => {
    if (name === 'findUsers') return lookups.findUsers(...(asked as Parameters<PlatformAnswers['findUsers']>))
    if (name === 'findTakenNames') return lookups.findTakenNames(...(asked as Parameters<PlatformAnswers['findTakenNames']>))
    throw new Error(`Unknown question ${name}`)
  }
  return readArchiveInThread<ImportPlan>({ program, descriptor, given, answer })
}

async function make(
  deps: Pick<ImportDeps, 'blobs' | 'clock' | 'config' | 'db'>,
  archive: ReceivedArchive,
  plan: ImportPlan,
  authorId: string,
): Promise<ImportReport> {
  const { db } = deps
  const staged = new Map<number, StoredFile>()
  try {
    await stageFiles(deps, archive.descriptor, plan, staged)
    const gameId = await db.transaction((transaction) => store(deps, transaction, plan, staged, authorId))
    return { ...plan.report, gameId }
  } catch (error) {
    await deleteUnreferencedFiles(
      deps,
      [...staged.values()].map(({ hash }) => hash),
    )
    throw error
  }
}

/**
 * Imports an event from its CTFd export. Creates a hidden game and the users of the event. For a preview, returns only the report
 * and creates nothing. If a step fails, nothing is created.
 * @throws Problem `import.archive`, `file.too-large`, `file.missing`, or `request.rate-limited` if too many imports are pending
 */
export function importCtfdExport(deps: ImportDeps, sent: SentArchive, isPreview: boolean): Promise<ImportReport> {
  const { archives } = deps
  return archives.receive(sent, async (archive) => {
    const plan = await convert(deps, archive)
    return isPreview ? plan.report : make(deps, archive, plan, sent.userId)
  })
}
