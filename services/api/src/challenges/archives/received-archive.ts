import { createHash, randomUUID } from 'node:crypto'
import { close, openSync, unlinkSync, write } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { surviveErrors } from '@capstan/http/guard'

/** An archive on the disk of this process. */
export type ReceivedArchive = Readonly<{
  /** Of the open file. */
  descriptor: number
  /** SHA-256. */
  digest: string
}>

const retryAfterSeconds = 10

const [writeTo, closeFile] = [promisify(write), promisify(close)]

/** A file that has no name, by its number: it is gone with the process, however that ends. At once, for in between a kill would leave it. */
function openNameless(): number {
  const name = path.join(tmpdir(), `capstan-import-${randomUUID()}`)
  const file = openSync(name, 'wx+', 0o600)
  unlinkSync(name)
  return file
}

/** An archive that somebody sends. */
export type SentArchive = Readonly<{
  /** Cut off at `importMaxBytes`. */
  content: Readable
  userId: string
  /** Aborts when whoever sends it has gone. */
  signal: AbortSignal
}>

/** Places where archives are read. Whoever waits for one has arrived, so that `importsHeld` bounds them. */
function createReadingPlaces() {
  /** In the order of their arrival. */
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
    if (taken >= Limits.importsAtOnce) await awaitTurn(signal)
    else taken += 1
    try {
      // Also one who left just as the place was given.
      signal.throwIfAborted()
      return await read()
    } finally {
      // The place goes to the next one at once, so that no later call gets in between.
      const [next] = waiting
      if (next) {
        waiting.delete(next)
        next()
      } else taken -= 1
    }
  }
}

/**
 * Takes archives to the disk, and lets `importsAtOnce` be read at a time, in the order of their arrival, whatever they are.
 *
 * @param arrivalMaxMs for one to arrive
 */
export function createArchiveReceiver(arrivalMaxMs = Limits.importArrivalMaxSeconds * 1000) {
  const inReadingPlace = createReadingPlaces()
  const heldOf = new Map<string, number>()
  let held = 0

  const admit = (userId: string): (() => void) => {
    const own = heldOf.get(userId) ?? 0
    if (held >= Limits.importsHeld || own >= Limits.importsHeldOfUser)
      throw new Problem('request.rate-limited', { retryAfterSeconds })
    held += 1
    heldOf.set(userId, own + 1)
    return () => {
      held -= 1
      const left = (heldOf.get(userId) ?? 1) - 1
      if (left > 0) heldOf.set(userId, left)
      else heldOf.delete(userId)
    }
  }

  return {
    /**
     * The disk is as it was when `use` has ended.
     * @throws Problem `request.rate-limited` while so many of this user or of all are held, `file.missing`, `file.too-large`,
     *   `request.too-slow` where it does not arrive in time; the reason of `signal` where it aborts before `use` has begun
     */
    async receive<Result>(sent: SentArchive, use: (archive: ReceivedArchive) => Promise<Result>): Promise<Result> {
      const { content, userId, signal } = sent
      const leave = admit(userId)
      let file: number | undefined
      // Its reader reports each error.
      surviveErrors(content)
      const deadline = setTimeout(() => content.destroy(new Problem('request.too-slow')), arrivalMaxMs)
      try {
        const descriptor = openNameless()
        file = descriptor
        const hash = createHash('sha256')
        let sizeBytes = 0
        // Not by a stream of the file's number, which would close it when the content breaks off, and another's after that.
        for await (const chunk of content as AsyncIterable<Buffer>) {
          sizeBytes += chunk.length
          hash.update(chunk)
          for (let at = 0; at < chunk.length; ) at += (await writeTo(descriptor, chunk, at)).bytesWritten
        }
        clearTimeout(deadline)
        if (sizeBytes === 0) throw new Problem('file.missing')
        // What is longer was cut off here.
        if (sizeBytes >= Limits.importMaxBytes) throw new Problem('file.too-large')
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
