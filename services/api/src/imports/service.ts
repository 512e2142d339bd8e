import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { ImportReport } from '@capstan/contract/imports'
import { Problem } from '@capstan/contract/problems'
import type { Transaction } from '@capstan/db/client'
import { pack } from 'tar-stream'
import { createFileService, type StoredFile } from '../files/service.ts'
import type { UploadedFile } from '../files/uploads.ts'
import type { GameServiceDeps } from '../games/service.ts'
import { safePathPart } from '../http/archive.ts'
import { createGameKeys, openGameKey } from '../signing/game-keys.ts'
import { cryptoRandom } from '../signing/random.ts'
import { defaultTokenPrefix, signTeamToken } from '../signing/team-token.ts'
import { type ExportArchive, openExport } from './export-archive.ts'
import { convertInThread } from './import-thread.ts'
import type { ImportPlan, PlannedFile } from './plan.ts'
import { importLookups, importRepository } from './repository.ts'

/** Signatures that are made before others get their turn. */
const signedAtOnce = 200
const retryAfterSeconds = 30

/** The content of a challenge's file: the one of the archive, or several packed together. */
const contentOf = async (archive: ExportArchive, { names }: PlannedFile) => {
  const [first, ...others] = names
  if (first !== undefined && others.length === 0) return archive.open(first)
  const packed = pack()
  const fill = async () => {
    for (const [index, name] of names.entries()) {
      // Two files of one name stay two.
      const entry = {
        name: `${index + 1}-${safePathPart(name.split('/').at(-1) ?? 'file')}`,
        size: archive.sizeOf(name),
        mtime: new Date(0),
      }
      await pipeline(await archive.open(name), packed.entry(entry))
    }
    packed.finalize()
  }
  const gzip = createGzip()
  fill().catch((error: unknown) => gzip.destroy(error instanceof Error ? error : new Error('Packing files failed')))
  return packed.pipe(gzip)
}

/** Games that come from other platforms. Rules: docs/contract/imports.md. ADR 35. */
export const createImportService = (deps: GameServiceDeps) => {
  const { db, clock, config, scoreboards } = deps
  const files = createFileService(deps)
  /** One at a time in a process: each holds an export in memory and on disk. */
  let isBusy = false

  /** Files wait in the store: they stay when the transaction commits, else the sweep removes them. */
  const stageFiles = async (archive: ExportArchive, plan: ImportPlan, staged: Map<number, StoredFile>): Promise<void> => {
    for (const { key, file } of plan.challenges)
      if (file) staged.set(key, await files.stage(await contentOf(archive, file), file.fileName))
  }

  const signTokens = async (teamIds: readonly number[], privateKey: Buffer): Promise<string> => {
    const tokens: { id: number; token: string }[] = []
    for (const id of teamIds) {
      if (tokens.length % signedAtOnce === 0) await nextTurn()
      tokens.push({ id, token: signTeamToken(id, privateKey, defaultTokenPrefix) })
    }
    return JSON.stringify(tokens)
  }

  const store = async (
    transaction: Transaction,
    plan: ImportPlan,
    staged: ReadonlyMap<number, StoredFile>,
    authorId: string,
  ): Promise<number> => {
    const repository = importRepository(transaction)
    const each = async (batches: readonly string[], insert: (batch: string) => Promise<void>): Promise<void> => {
      for (const batch of batches) await insert(batch)
    }
    const { divisions, title, summary, content, startsAt, endsAt } = plan.game
    const keys = createGameKeys(config.secretKey, cryptoRandom)
    const times = { startsAt: new Date(startsAt), endsAt: new Date(endsAt), writeupDeadline: new Date(endsAt) }
    await repository.begin()
    const gameId = await repository.insertGame(
      // No bonus for the first solvers: the other platform knows none.
      { title, summary, content, ...times, ...keys, hidden: true, practiceMode: false, bloodBonus: 0 },
      divisions,
    )
    await each(plan.users, repository.insertUsers)
    await each(plan.teams, repository.insertTeams)
    await each(plan.members, repository.insertMembers)
    const tokens = await signTokens(await repository.listTeamIds(), openGameKey(keys, config.secretKey))
    await each(plan.participations, (batch) => repository.insertParticipations(gameId, batch, tokens))
    await each(plan.members, (batch) => repository.insertParticipants(gameId, batch))
    for (const { key, flags, file: _file, ...values } of plan.challenges) {
      const file = staged.get(key)
      const columns = { ...values, hints: [...values.hints], gameId, type: 'StaticAttachment' as const, minScoreRate: 1 }
      await repository.insertChallenge(key, columns, flags, file && { fileHash: file.hash, fileName: file.name })
    }
    await files.adopt(transaction, [...staged.values()])
    await repository.insertAssignments(gameId)
    await each(plan.submissions, (batch) => repository.insertSubmissions(gameId, batch))
    await each(plan.awards, (batch) => repository.insertAwards(gameId, batch))
    await each(plan.notices, (batch) => repository.insertNotices(gameId, batch))
    await each(plan.posts, (batch) => repository.insertPosts(authorId, batch))
    return gameId
  }

  const run = async (exportPath: string, authorId: string, isPreview: boolean): Promise<ImportReport> => {
    const options = { path: exportPath, maxFileBytes: config.attachmentMaxBytes, now: clock.now() }
    const plan = await convertInThread(options, importLookups(db))
    if (isPreview) return plan.report
    const archive = await openExport(exportPath)
    const staged = new Map<number, StoredFile>()
    try {
      await stageFiles(archive, plan, staged)
      const gameId = await db.transaction((transaction) => store(transaction, plan, staged, authorId))
      scoreboards.markStale(gameId)
      return { ...plan.report, gameId }
    } catch (error) {
      await files.sweep([...staged.values()].map(({ hash }) => hash))
      throw error
    } finally {
      archive.close()
    }
  }

  return {
    /**
     * Makes a hidden game of an export, with everybody who played it; all or nothing.
     * @throws Problem `import.unreadable`, `import.too-large`, `file.too-large`, `file.missing`, `server.unavailable` while another
     *   is being read
     */
    async importCtfd(upload: UploadedFile, authorId: string, isPreview: boolean): Promise<ImportReport> {
      if (isBusy) throw new Problem('server.unavailable', { retryAfterSeconds })
      isBusy = true
      let folder: string | undefined
      try {
        folder = await mkdtemp(path.join(tmpdir(), 'capstan-import-'))
        const exportPath = path.join(folder, 'export.zip')
        await pipeline(upload.content, createWriteStream(exportPath, { flags: 'wx', mode: 0o600 }))
        if (upload.isTooLarge()) throw new Problem('file.too-large')
        return await run(exportPath, authorId, isPreview)
      } finally {
        isBusy = false
        if (folder !== undefined) await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
