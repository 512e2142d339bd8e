import { createHash, randomUUID } from 'node:crypto'
import { close, openSync, unlinkSync, write } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'

/** An archive on the disk of this process. */
export interface ReceivedArchive {
  /** Of the open file. */
  readonly descriptor: number
  /** SHA-256. */
  readonly digest: string
}

const retryAfterSeconds = 10

const [writeTo, closeFile] = [promisify(write), promisify(close)]

/** A file that has no name, by its number: it is gone with the process, however that ends. At once, for in between a kill would leave it. */
const openNameless = (): number => {
  const name = path.join(tmpdir(), `capstan-import-${randomUUID()}`)
  const file = openSync(name, 'wx+', 0o600)
  unlinkSync(name)
  return file
}

/**
 * Takes archives to the disk, `importsAtOnce` in a process whatever they are.
 *
 * @param arrivalMaxMs for one to arrive
 */
export const createArchiveReceiver = (arrivalMaxMs = Limits.importArrivalMaxSeconds * 1000) => {
  let running = 0
  return {
    /**
     * The disk is as it was when `use` has ended.
     * @param content cut off at `importMaxBytes`
     * @throws Problem `request.rate-limited` while as many are being read, `file.missing`, `file.too-large`,
     *   `request.too-slow` where it does not arrive in time
     */
    async receive<Result>(content: Readable, use: (archive: ReceivedArchive) => Promise<Result>): Promise<Result> {
      if (running >= Limits.importsAtOnce) throw new Problem('request.rate-limited', { retryAfterSeconds })
      running += 1
      let file: number | undefined
      // Whoever reads it learns of it.
      content.on('error', () => {})
      const deadline = setTimeout(() => content.destroy(new Problem('request.too-slow')), arrivalMaxMs)
      try {
        file = openNameless()
        const hash = createHash('sha256')
        let sizeBytes = 0
        // Not by a stream of the file's number, which would close it when the content breaks off, and another's after that.
        for await (const chunk of content as AsyncIterable<Buffer>) {
          sizeBytes += chunk.length
          hash.update(chunk)
          for (let at = 0; at < chunk.length; ) at += (await writeTo(file, chunk, at)).bytesWritten
        }
        clearTimeout(deadline)
        if (sizeBytes === 0) throw new Problem('file.missing')
        // What is longer was cut off here.
        if (sizeBytes >= Limits.importMaxBytes) throw new Problem('file.too-large')
        return await use({ descriptor: file, digest: hash.digest('hex') })
      } finally {
        clearTimeout(deadline)
        running -= 1
        if (file !== undefined) await closeFile(file)
      }
    },
  }
}

export type ArchiveReceiver = ReturnType<typeof createArchiveReceiver>
