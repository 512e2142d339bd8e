import { createHash, randomUUID } from 'node:crypto'
import { close, openSync, unlinkSync, write } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { ignoreSocketErrors } from '@capstan/http/guard'
import type { InstanceDeps } from '../../instances/deps.ts'

export type ReceivedArchive = Readonly<{
  descriptor: number
  /** SHA-256 of the archive. */
  digest: string
}>

const retryAfterSeconds = 10

const [writeTo, closeFile] = [promisify(write), promisify(close)]

/**
 * Opens a temporary file and removes its name at once. The system deletes the file when the process ends, even after a kill. The
 * file is opened and unlinked synchronously, because a kill between the two steps would leave it behind.
 */
function openNameless(): number {
  const name = path.join(tmpdir(), `capstan-import-${randomUUID()}`)
  const file = openSync(name, 'wx+', 0o600)
  unlinkSync(name)
  return file
}

export type SentArchive = Readonly<{
  /** Content of the upload, truncated at `maxImportBytes`. */
  content: Readable
  userId: string
  signal: AbortSignal
}>

/**
 * Creates a function that limits the number of concurrent reads. The number of waiting reads needs no limit, because
 * `maxPendingImports` already limits the number of archives.
 */
function createReadingPlaces() {
  const waiting = new Set<() => void>()
  let taken = 0

  const awaitTurn = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      waiting.delete(resolve)
      reject(signal.reason)
    }
    waiting.add(resolve)
    signal.addEventListener('abort', leave)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  return async <Result>(signal: AbortSignal, read: () => Promise<Result>): Promise<Result> => {
    if (taken >= Limits.maxConcurrentImports) await awaitTurn(signal)
    else taken += 1
    try {
      signal.throwIfAborted()
      return await read()
    } finally {
      // Hand this slot directly to the next waiting read. Otherwise a later call could take the slot.
      const [next] = waiting
      if (next) {
        waiting.delete(next)
        next()
      } else taken -= 1
    }
  }
}

/**
 * Receives archives on disk, and reads them in order of arrival. At most `maxConcurrentImports` reads run at a time.
 * @param maxArrivalMs maximum time of an upload, in ms
 */
export function createArchiveReceiver(maxArrivalMs = Limits.maxImportArrivalSeconds * 1000) {
  const inReadingPlace = createReadingPlaces()
  const pendingByUser = new Map<string, number>()
  let pendingCount = 0

  const admit = (userId: string): (() => void) => {
    const own = pendingByUser.get(userId) ?? 0
    if (pendingCount >= Limits.maxPendingImports || own >= Limits.maxPendingImportsPerUser)
      throw new Problem('request.rate-limited', { retryAfterSeconds })
    pendingCount += 1
    pendingByUser.set(userId, own + 1)
    return () => {
      pendingCount -= 1
      const left = (pendingByUser.get(userId) ?? 1) - 1
      if (left > 0) pendingByUser.set(userId, left)
      else pendingByUser.delete(userId)
    }
  }

  return {
    /**
     * Receives an archive and passes it to `use`. The temporary file is removed afterwards.
     * @throws Problem `request.rate-limited` if too many archives of this user or of all users are pending
     * @throws Problem `file.missing`, `file.too-large`, or `request.too-slow` if the upload takes longer than the maximum time
     * @throws the reason of `signal` if it aborts before `use` begins
     */
    async receive<Result>(sent: SentArchive, use: (archive: ReceivedArchive) => Promise<Result>): Promise<Result> {
      const { content, userId, signal } = sent
      const leave = admit(userId)
      let file: number | undefined
      ignoreSocketErrors(content)
      const deadline = setTimeout(() => content.destroy(new Problem('request.too-slow')), maxArrivalMs)
      try {
        const descriptor = openNameless()
        file = descriptor
        const hash = createHash('sha256')
        let sizeBytes = 0
        // Do not use a write stream. After an aborted upload, a write stream would close the descriptor, whose number might then
        // belong to another file.
        for await (const chunk of content as AsyncIterable<Buffer>) {
          sizeBytes += chunk.length
          hash.update(chunk)
          for (let at = 0; at < chunk.length; ) at += (await writeTo(descriptor, chunk, at)).bytesWritten
        }
        clearTimeout(deadline)
        if (sizeBytes === 0) throw new Problem('file.missing')
        // Uploads are truncated at this limit, so an archive of this size may be incomplete.
        if (sizeBytes >= Limits.maxImportBytes) throw new Problem('file.too-large')
        const digest = hash.digest('hex')
        return await inReadingPlace(signal, () => use({ descriptor, digest }))
      } finally {
        clearTimeout(deadline)
        leave()
        if (file !== undefined) await closeFile(file)
      }
    },
  }
}

export type ArchiveReceiver = ReturnType<typeof createArchiveReceiver>

export type ImportDeps = InstanceDeps & Readonly<{ archives: ArchiveReceiver }>
