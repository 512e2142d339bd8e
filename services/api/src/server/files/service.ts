import { createHash, randomUUID } from 'node:crypto'
import { pipeline, Readable, Transform } from 'node:stream'
import { tidyFileName } from '@capstan/contract/file-name'
import { Problem } from '@capstan/contract/problems'
import type { Executor, Transaction } from '@capstan/db/client'
import { surviveErrors } from '@capstan/http/guard'
import type { ServerDeps } from '../deps.ts'
import { blobKeys } from './blob-keys.ts'
import { type FileRow, fileRepository } from './repository.ts'
import type { UploadedFile } from './uploads.ts'

/** Content that was stored; `name` is the one of the newest upload. */
export type StoredFile = Readonly<{
  hash: string
  name: string
  sizeBytes: number
}>

export type StoreOptions = Readonly<{
  /** More bytes are refused with `file.too-large`; default: the configured limit of attachments. */
  maxBytes?: number
  /** Runs in the transaction that counts the reference: whoever refers to the file is written here, or nothing is kept. */
  adopt?: (transaction: Transaction, file: StoredFile) => Promise<void>
}>

const sweepBatch = 1000

/** Passes bytes on, counting and hashing them. */
function createMeter(maxBytes: number) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) return done(new Problem('file.too-large'))
      hash.update(chunk)
      done(null, chunk)
    },
  })
  // Consumers report the failure; without a listener one that comes before they listen would end the process.
  surviveErrors(stream)
  return { stream, result: () => ({ hash: hash.digest('hex'), sizeBytes }) }
}

/** The expected failure inside what the blob store made of it, if there is one. */
function problemWithin(error: unknown): unknown {
  for (let current = error; current instanceof Error; current = current.cause) if (current instanceof Problem) return current
  return error
}

function skipEmpty(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === 'file.missing')) throw error
}

/**
 * Stored content: once per SHA-256, with a count of references. A row exists before its content and until its content is gone;
 * rows at 0 are what `sweep` removes, so a crash at any step leaves nothing that is not found again.
 * Rules: docs/contract/files.md#storage.
 */
export function createFileService({ db, blobs, clock, config }: Pick<ServerDeps, 'db' | 'blobs' | 'clock' | 'config'>) {
  /** Removes content and row of one file if nobody refers to it. */
  const sweepOne = (hash: string): Promise<void> =>
    db.transaction(async (transaction) => {
      const repository = fileRepository(transaction)
      if (!(await repository.lockUnused(hash))) return
      await blobs.delete(blobKeys.file(hash))
      await repository.delete(hash)
    })

  const receive = async (content: Readable, maxBytes: number) => {
    const incoming = blobKeys.incoming(randomUUID())
    const meter = createMeter(maxBytes)
    try {
      // Also notices a source that broke off before anybody listened; a plain pipe would wait for it for ever.
      await blobs.put(
        incoming,
        pipeline(content, meter.stream, () => {}),
      )
    } catch (error) {
      await blobs.delete(incoming)
      throw problemWithin(error)
    }
    return { incoming, ...meter.result() }
  }

  const service = {
    /**
     * Takes content in and counts one reference to it; nothing is counted if `adopt` fails.
     * @throws Problem `file.missing` for empty content, `file.too-large`
     */
    async store(content: Readable | Uint8Array, name: string, options: StoreOptions = {}): Promise<StoredFile> {
      const stream = content instanceof Readable ? content : Readable.from([content])
      const { incoming, hash, sizeBytes } = await receive(stream, options.maxBytes ?? config.attachmentMaxBytes)
      try {
        if (sizeBytes === 0) throw new Problem('file.missing')
        const row = { hash, name: tidyFileName(name), sizeBytes }
        await fileRepository(db).announce(row)
        return await db.transaction(async (transaction) => {
          await fileRepository(transaction).addReference({ ...row, uploadedAt: clock.now() })
          if (!(await blobs.exists(blobKeys.file(hash)))) await blobs.move(incoming, blobKeys.file(hash))
          await options.adopt?.(transaction, row)
          return row
        })
      } catch (error) {
        await service.sweep([hash])
        throw error
      } finally {
        await blobs.delete(incoming)
      }
    },

    /**
     * Takes content in that nobody refers to yet: `adopt` counts its users, and until then the next sweep removes it.
     * @throws Problem `file.missing` for empty content, `file.too-large`, `import.interrupted` when a sweep came between
     */
    async stage(content: Readable | Uint8Array, name: string, maxBytes = config.attachmentMaxBytes): Promise<StoredFile> {
      const { incoming, hash, sizeBytes } = await receive(
        content instanceof Readable ? content : Readable.from([content]),
        maxBytes,
      )
      try {
        if (sizeBytes === 0) throw new Problem('file.missing')
        const row = { hash, name: tidyFileName(name), sizeBytes }
        await fileRepository(db).announce(row)
        await db.transaction(async (transaction) => {
          if (!(await fileRepository(transaction).lock(hash))) throw new Problem('import.interrupted')
          if (!(await blobs.exists(blobKeys.file(hash)))) await blobs.move(incoming, blobKeys.file(hash))
        })
        return row
      } finally {
        await blobs.delete(incoming)
      }
    },

    /**
     * Counts a reference for each time a staged file is listed, in the transaction that writes its users.
     * @throws Problem `import.interrupted` when a sweep came between: nothing may be kept then
     */
    async adopt(transaction: Transaction, staged: readonly StoredFile[]): Promise<void> {
      // In a fixed order: two transactions that adopt the same files must not wait for each other.
      for (const row of [...staged].sort((a, b) => (a.hash < b.hash ? -1 : 1)))
        await fileRepository(transaction).addReference({ ...row, uploadedAt: clock.now() })
      for (const hash of new Set(staged.map((row) => row.hash)))
        if (!(await blobs.exists(blobKeys.file(hash)))) throw new Problem('import.interrupted')
    },

    /**
     * Stores uploaded files in their order; empty ones beside others are skipped. All or nothing: if one is refused, those before
     * it are given up again.
     * @param name for every file instead of its own
     * @returns nothing if there is no file, or if all are empty
     * @throws Problem `file.too-large`, and what a broken body gives
     */
    async storeUploads(uploads: AsyncIterable<UploadedFile>, name: string | undefined): Promise<StoredFile[]> {
      const stored: StoredFile[] = []
      try {
        for await (const file of uploads) {
          const adopt = async () => {
            if (file.isTooLarge()) throw new Problem('file.too-large')
          }
          const kept = await service.store(file.content, name ?? file.fileName, { adopt }).catch(skipEmpty)
          if (kept) stored.push(kept)
        }
      } catch (error) {
        for (const { hash } of stored) await service.delete(hash)
        throw error
      }
      return stored
    },

    /**
     * Takes references back, in the caller's transaction: one for each time a hash is listed. Call `sweep` with the same
     * hashes after the commit. Unknown hashes and empty entries are ignored.
     */
    async release(transaction: Executor, hashes: readonly (string | null | undefined)[]): Promise<void> {
      const references = new Map<string, number>()
      for (const hash of hashes) if (hash) references.set(hash, (references.get(hash) ?? 0) + 1)
      // In a fixed order: two transactions that release the same files must not wait for each other.
      for (const hash of [...references.keys()].sort())
        await fileRepository(transaction).dropReferences(hash, references.get(hash) ?? 0)
    },

    /**
     * Removes content that nobody refers to: after the commit of whatever released it, and once at start for what a crash left.
     * @param hashes where to look; absent: everywhere
     */
    async sweep(hashes?: readonly (string | null | undefined)[]): Promise<void> {
      const candidates = hashes ?? (await fileRepository(db).listUnused(sweepBatch))
      for (const hash of new Set(candidates)) if (hash) await sweepOne(hash)
    },

    /**
     * Lets further users refer to files that were uploaded by themselves: the first use takes over the reference of the upload,
     * every further one counts. Call it in the transaction that wrote the users, after it wrote them.
     * @throws Problem `file.unknown` when one of them is not stored
     */
    async confirmUses(transaction: Executor, hashes: readonly string[]): Promise<FileRow[]> {
      const distinct = [...new Set(hashes)]
      if (distinct.length === 0) return []
      const repository = fileRepository(transaction)
      const rows = await repository.lockUsed(distinct)
      if (rows.length < distinct.length) throw new Problem('file.unknown')
      const uses = await repository.countUses(distinct)
      for (const row of rows) {
        const needed = uses.get(row.hash) ?? 0
        if (needed > row.referenceCount) await repository.raiseReferences(row.hash, needed)
      }
      return rows
    },

    /** Takes one reference of an uploaded file back. @throws Problem `file.unknown` */
    async delete(hash: string): Promise<void> {
      if (!(await fileRepository(db).dropReferences(hash, 1))) throw new Problem('file.unknown')
      await service.sweep([hash])
    },

    find: (hash: string): Promise<FileRow | undefined> => fileRepository(db).find(hash),

    async list(page: { count: number; skip: number }): Promise<{ rows: FileRow[]; total: number }> {
      const repository = fileRepository(db)
      const [rows, total] = await Promise.all([repository.list(page), repository.countAll()])
      return { rows, total }
    },

    /** Bytes of a stored file. @throws Error when the blob store lost them */
    open: (hash: string, range?: { start: number; end: number }): Promise<Readable> => blobs.get(blobKeys.file(hash), range),
  }
  return service
}

export type FileService = ReturnType<typeof createFileService>
