// Stores content once per SHA-256, with a reference count. The row is inserted before the content and deleted after it.
// `deleteUnreferencedFiles` removes rows with 0 references, and thereby the remains of a crash at any step. Rules:
// docs/contract/files.md#storage.
import { createHash, randomUUID } from 'node:crypto'
import { pipeline, Readable, Transform } from 'node:stream'
import { sanitizeFileName } from '@capstan/contract/file-name'
import { Problem } from '@capstan/contract/problems'
import type { Executor, Transaction } from '@capstan/db/client'
import { ignoreSocketErrors } from '@capstan/http/guard'
import type { ServerDeps } from '../deps.ts'
import { blobKeys } from './blob-keys.ts'
import { type AnswerFileOwner, createFileRepository, type FileRow } from './repository.ts'
import type { UploadedFile } from './uploads.ts'

export type StoredFile = Readonly<{
  hash: string
  name: string
  sizeBytes: number
}>

export type StoreOptions = Readonly<{
  /** Maximum size. Larger content is refused with `file.too-large`. Default: the configured limit of attachments. */
  maxBytes?: number
  /**
   * Function that writes the row that refers to the file. It is called in the transaction that adds the reference. If the
   * function fails, nothing is stored.
   */
  adopt?: (transaction: Transaction, file: StoredFile) => Promise<void>
}>

const sweepBatch = 1000

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
  // Consumers of the stream report its failures. Listen for errors, because an error before the first consumer would otherwise
  // crash the process.
  ignoreSocketErrors(stream)
  return { stream, result: () => ({ hash: hash.digest('hex'), sizeBytes }) }
}

/**
 * Returns the first `Problem` among an error and its causes.
 * @returns the error itself if there is no problem among them
 */
function problemWithin(error: unknown): unknown {
  for (let current = error; current instanceof Error; current = current.cause) if (current instanceof Problem) return current
  return error
}

function skipEmpty(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === 'file.missing')) throw error
}

export type FileDeps = Pick<ServerDeps, 'db' | 'blobs' | 'clock' | 'config'>

function sweepOne({ db, blobs }: Pick<FileDeps, 'blobs' | 'db'>, hash: string): Promise<void> {
  return db.transaction(async (transaction) => {
    const repository = createFileRepository(transaction)
    if (!(await repository.lockUnused(hash))) return
    await blobs.delete(blobKeys.file(hash))
    await repository.delete(hash)
  })
}

async function receive({ blobs }: Pick<FileDeps, 'blobs'>, content: Readable, maxBytes: number) {
  const incoming = blobKeys.incoming(randomUUID())
  const meter = createMeter(maxBytes)
  try {
    // Use `pipeline`, because `pipe` does not detect a source that failed earlier.
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

/**
 * Stores content and adds one reference. Adds no reference if `options.adopt` fails.
 * @throws Problem `file.missing` for empty content, `file.too-large`
 */
export async function storeFile(
  deps: Pick<FileDeps, 'blobs' | 'clock' | 'config' | 'db'>,
  content: Readable | Uint8Array,
  name: string,
  options: StoreOptions = {},
): Promise<StoredFile> {
  const { config, db, clock, blobs } = deps
  const stream = content instanceof Readable ? content : Readable.from([content])
  const { incoming, hash, sizeBytes } = await receive(deps, stream, options.maxBytes ?? config.maxAttachmentBytes)
  try {
    if (sizeBytes === 0) throw new Problem('file.missing')
    const row = { hash, name: sanitizeFileName(name), sizeBytes }
    await createFileRepository(db).announce(row)
    return await db.transaction(async (transaction) => {
      await createFileRepository(transaction).addReference({ ...row, uploadedAt: clock.now() })
      if (!(await blobs.exists(blobKeys.file(hash)))) await blobs.move(incoming, blobKeys.file(hash))
      await options.adopt?.(transaction, row)
      return row
    })
  } catch (error) {
    await deleteUnreferencedFiles(deps, [hash])
    throw error
  } finally {
    await blobs.delete(incoming)
  }
}

/**
 * Stores content without a reference. The next call of `deleteUnreferencedFiles` deletes the content unless `addFileReferences`
 * adds references before it.
 * @throws Problem `file.missing` for empty content, `file.too-large`, `import.interrupted` if `deleteUnreferencedFiles` deleted
 * the content at the same time
 */
export async function storeContentWithoutReference(
  deps: Pick<FileDeps, 'blobs' | 'config' | 'db'>,
  content: Readable | Uint8Array,
  name: string,
  maxBytes = deps.config.maxAttachmentBytes,
): Promise<StoredFile> {
  const { db, blobs } = deps
  const { incoming, hash, sizeBytes } = await receive(
    deps,
    content instanceof Readable ? content : Readable.from([content]),
    maxBytes,
  )
  try {
    if (sizeBytes === 0) throw new Problem('file.missing')
    const row = { hash, name: sanitizeFileName(name), sizeBytes }
    await createFileRepository(db).announce(row)
    await db.transaction(async (transaction) => {
      if (!(await createFileRepository(transaction).lock(hash))) throw new Problem('import.interrupted')
      if (!(await blobs.exists(blobKeys.file(hash)))) await blobs.move(incoming, blobKeys.file(hash))
    })
    return row
  } finally {
    await blobs.delete(incoming)
  }
}

/**
 * Adds one reference for each element of `staged`. Call this function in the transaction that writes the rows that use the files.
 * @throws Problem `import.interrupted` if `deleteUnreferencedFiles` has deleted a file. Roll back the transaction in this case.
 */
export async function addFileReferences(
  { clock, blobs }: Pick<FileDeps, 'blobs' | 'clock'>,
  transaction: Transaction,
  staged: readonly StoredFile[],
): Promise<void> {
  // A fixed order prevents deadlocks between transactions that adopt the same files.
  for (const row of [...staged].sort((a, b) => (a.hash < b.hash ? -1 : 1)))
    await createFileRepository(transaction).addReference({ ...row, uploadedAt: clock.now() })
  for (const hash of new Set(staged.map((row) => row.hash)))
    if (!(await blobs.exists(blobKeys.file(hash)))) throw new Problem('import.interrupted')
}

/**
 * Stores uploaded files in order: all of them or none. Empty files are skipped if the upload contains other files.
 * @param name replaces the name of every file
 * @returns an empty list if there is no file, or if all files are empty
 * @throws Problem `file.too-large`, and problems of a malformed body
 */
export async function storeUploads(
  deps: Pick<FileDeps, 'blobs' | 'clock' | 'config' | 'db'>,
  uploads: AsyncIterable<UploadedFile>,
  name: string | undefined,
): Promise<StoredFile[]> {
  const stored: StoredFile[] = []
  try {
    for await (const file of uploads) {
      const adopt = async () => {
        if (file.isTooLarge()) throw new Problem('file.too-large')
      }
      const storedFile = await storeFile(deps, file.content, name ?? file.fileName, { adopt }).catch(skipEmpty)
      if (storedFile) stored.push(storedFile)
    }
  } catch (error) {
    for (const { hash } of stored) await deleteFile(deps, hash)
    throw error
  }
  return stored
}

/**
 * Removes one reference for each occurrence of a hash, in the caller's transaction. Call `deleteUnreferencedFiles` with the
 * same hashes after the commit. Unknown hashes and empty entries are ignored.
 */
export async function releaseFiles(transaction: Executor, hashes: readonly (string | null | undefined)[]): Promise<void> {
  const references = new Map<string, number>()
  for (const hash of hashes) if (hash) references.set(hash, (references.get(hash) ?? 0) + 1)
  // A fixed order prevents deadlocks between transactions that release the same files.
  for (const hash of [...references.keys()].sort())
    await createFileRepository(transaction).dropReferences(hash, references.get(hash) ?? 0)
}

/**
 * Lists the hashes of the files that registration answers contain. Call this before you delete the answers. After the commit, call
 * `deleteUnreferencedFiles` with the hashes.
 */
export function listAnswerFileHashes(executor: Executor, owner: AnswerFileOwner): Promise<string[]> {
  return createFileRepository(executor).listAnswerHashes(owner)
}

/**
 * Deletes unreferenced content. Call this after the commit that released the content, and regularly to clean up after
 * crashes.
 * @param hashes files to check; by default all
 */
export async function deleteUnreferencedFiles(
  deps: Pick<FileDeps, 'blobs' | 'db'>,
  hashes?: readonly (string | null | undefined)[],
): Promise<void> {
  for (const hash of new Set(hashes)) if (hash) await sweepOne(deps, hash)
  if (hashes) return
  const { db } = deps
  let batch: string[] = []
  do {
    // Start after the previous batch, so that each file is listed only once.
    batch = await createFileRepository(db).listUnused(batch.at(-1) ?? '', sweepBatch)
    for (const hash of batch) await sweepOne(deps, hash)
  } while (batch.length === sweepBatch)
}

/**
 * Raises the reference count of each file to the number of rows that use the file. Call this in the transaction that wrote the
 * rows, after the writes.
 * @throws Problem `file.unknown` if a file is not stored
 */
export async function addMissingFileReferences(transaction: Executor, hashes: readonly string[]): Promise<FileRow[]> {
  const distinct = [...new Set(hashes)]
  if (distinct.length === 0) return []
  const repository = createFileRepository(transaction)
  const rows = await repository.lockUsed(distinct)
  if (rows.length < distinct.length) throw new Problem('file.unknown')
  const uses = await repository.countUses(distinct)
  for (const row of rows) {
    const needed = uses.get(row.hash) ?? 0
    if (needed > row.referenceCount) await repository.raiseReferences(row.hash, needed)
  }
  return rows
}

/** Removes one reference of an uploaded file. @throws Problem `file.unknown` */
export async function deleteFile(deps: Pick<FileDeps, 'blobs' | 'db'>, hash: string): Promise<void> {
  const { db } = deps
  if (!(await createFileRepository(db).dropReferences(hash, 1))) throw new Problem('file.unknown')
  await deleteUnreferencedFiles(deps, [hash])
}

export function findFile({ db }: Pick<FileDeps, 'db'>, hash: string): Promise<FileRow | undefined> {
  return createFileRepository(db).find(hash)
}

export async function listFiles(
  { db }: Pick<FileDeps, 'db'>,
  page: { count: number; skip: number },
): Promise<{ rows: FileRow[]; total: number }> {
  const repository = createFileRepository(db)
  const [rows, total] = await Promise.all([repository.list(page), repository.countAll()])
  return { rows, total }
}

/**
 * Reads a stored file.
 * @throws Error if the content is missing in the blob store
 */
export function openFile(
  { blobs }: Pick<FileDeps, 'blobs'>,
  hash: string,
  range?: { start: number; end: number },
): Promise<Readable> {
  return blobs.get(blobKeys.file(hash), range)
}
