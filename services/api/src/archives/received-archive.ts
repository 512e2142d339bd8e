import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
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

/** A file that has no name: it is gone with the process, however that ends. */
const openNameless = async (): Promise<FileHandle> => {
  const name = path.join(tmpdir(), `capstan-import-${randomUUID()}`)
  const file = await open(name, 'wx+', 0o600)
  await unlink(name)
  return file
}

/** Takes archives to the disk, `importsAtOnce` in a process whatever they are. */
export const createArchiveReceiver = () => {
  let running = 0
  return {
    /**
     * The disk is as it was when `use` has ended.
     * @param content cut off at `importMaxBytes`
     * @throws Problem `request.rate-limited` while as many are being read, `file.missing`, `file.too-large`
     */
    async receive<Result>(content: Readable, use: (archive: ReceivedArchive) => Promise<Result>): Promise<Result> {
      if (running >= Limits.importsAtOnce) throw new Problem('request.rate-limited', { retryAfterSeconds })
      running += 1
      let file: FileHandle | undefined
      try {
        file = await openNameless()
        const hash = createHash('sha256')
        let sizeBytes = 0
        const metered = async function* () {
          for await (const chunk of content as AsyncIterable<Buffer>) {
            sizeBytes += chunk.length
            hash.update(chunk)
            yield chunk
          }
        }
        // Not by a stream of the file's number, which would close it when the content breaks off, and another's after that.
        await file.writeFile(metered())
        if (sizeBytes === 0) throw new Problem('file.missing')
        // What is longer was cut off here.
        if (sizeBytes >= Limits.importMaxBytes) throw new Problem('file.too-large')
        return await use({ descriptor: file.fd, digest: hash.digest('hex') })
      } finally {
        running -= 1
        await file?.close()
      }
    },
  }
}

export type ArchiveReceiver = ReturnType<typeof createArchiveReceiver>
