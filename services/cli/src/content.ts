import { createHash } from 'node:crypto'
import { closeSync, createReadStream, createWriteStream, openAsBlob, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { type StoredEntry, streamUncompressedZip } from '@capstan/challenge-files/stored-zip'

/** Content of a file to upload. The content stays on disk and is streamed, so files of any size can be uploaded. */
export type Content = Readonly<{
  /** SHA-256 of the content. */
  hash: string
  open: () => Promise<Blob>
}>

/** File on disk. `name` is the name that the file gets in an archive. */
export type FilePart = Readonly<{ name: string; path: string }>

const chunkBytes = 1024 * 1024

/**
 * Passes the content of a file in parts. A part is valid only during the call that receives it.
 * @returns the size of the file, in bytes
 */
export function readFileInParts(path: string, take: (part: Uint8Array) => void): number {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(chunkBytes)
    for (let size = 0; ; ) {
      const read = readSync(file, buffer)
      if (read === 0) return size
      take(buffer.subarray(0, read))
      size += read
    }
  } finally {
    closeSync(file)
  }
}

export function hashOfFile(path: string): string {
  const hash = createHash('sha256')
  readFileInParts(path, (part) => hash.update(part))
  return hash.digest('hex')
}

export function contentOfFile(path: string): Content {
  return { hash: hashOfFile(path), open: () => openAsBlob(path) }
}

function entryOf(part: FilePart): StoredEntry & FilePart {
  let crc = 0
  const sizeBytes = readFileInParts(part.path, (bytes) => {
    crc = crc32(bytes, crc)
  })
  return { ...part, sizeBytes, crc }
}

function zipOfEntries(entries: readonly (StoredEntry & FilePart)[]): AsyncGenerator<Uint8Array> {
  return streamUncompressedZip(entries, ({ path }) => createReadStream(path, { highWaterMark: chunkBytes }))
}

/** Returns an archive of several files, in parts. The bytes depend only on names and contents of the files. */
export function streamZip(parts: readonly FilePart[]): AsyncGenerator<Uint8Array> {
  return zipOfEntries(parts.map(entryOf))
}

/**
 * Returns the content of a ZIP archive with the given files.
 * @param scratch temporary folder in which `open` creates the archive
 */
export async function contentOfZip(parts: readonly FilePart[], scratch: string | undefined): Promise<Content> {
  const digest = createHash('sha256')
  const entries = parts.map(entryOf)
  for await (const bytes of zipOfEntries(entries)) digest.update(bytes)
  const hash = digest.digest('hex')
  return {
    hash,
    open: async () => {
      if (scratch === undefined) throw new Error('An archive was opened, but no temporary folder was given')
      const path = join(scratch, hash)
      await pipeline(zipOfEntries(entries), createWriteStream(path))
      return openAsBlob(path)
    },
  }
}
