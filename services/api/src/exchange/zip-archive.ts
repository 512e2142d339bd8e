import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { crc32, inflateRawSync } from 'node:zlib'
import type { FileTree } from '@capstan/challenge-files/tree'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { type Entry, openPromise } from 'yauzl'

/** An archive that is not read; the message says in a sentence why. */
export class UnfitArchive extends Error {}

/** A file in an archive, with all that is needed to read it later without its directory. */
export interface ArchivedFile {
  readonly path: string
  /** Where its packed bytes begin in the archive. */
  readonly start: number
  readonly packedBytes: number
  readonly sizeBytes: number
  readonly isDeflated: boolean
}

export interface Archive {
  readonly tree: FileTree
  /** Unpacked; undefined for a file that is not there. */
  readonly sizeOf: (path: string) => number | undefined
  /** Where the content of a file lies. @throws when it is not there */
  readonly locate: (path: string) => ArchivedFile
  readonly close: () => void
}

/** What the directory says of a file, before anything of it is read. */
interface Listed extends Omit<ArchivedFile, 'start'> {
  readonly headerAt: number
  readonly crc: number
}

const localHeaderBytes = 30
const deflated = 8
const linkMode = 0o120000
const typeOfMode = 0o170000

/** Text of an archive, as it stands in a message. */
const quoted = (name: string): string => `\`${name.replaceAll(/[\p{Cc}\p{Cf}`]/gu, '�').slice(0, 120)}\``

const refusePath = (path: string): string | undefined => {
  if (path.length > InputLimits.fileNameMaxLength) return 'has too long a name'
  if (/[\p{Cc}\u{fffd}]/u.test(path)) return 'has a name with characters that no file name holds'
  const parts = path.split('/')
  if (parts.length > Limits.importDepthMax) return 'lies in too many folders'
  return parts.some((part) => part === '' || part === '.' || part === '..') ? 'has no plain path' : undefined
}

/** Systems that write links say so in the upper half of the attributes. */
const isSpecial = ({ externalFileAttributes }: Entry): boolean => {
  const mode = (externalFileAttributes >>> 16) & typeOfMode
  return mode === linkMode || (mode !== 0 && mode !== 0o100000 && mode !== 0o040000)
}

const listedOf = (entry: Entry): Listed => {
  const { fileName: path, compressedSize: packedBytes, uncompressedSize: sizeBytes, compressionMethod } = entry
  const refusal = refusePath(path)
  if (refusal !== undefined) throw new UnfitArchive(`${quoted(path)} ${refusal}.`)
  if (isSpecial(entry)) throw new UnfitArchive(`${quoted(path)} is a link or a device: archives with such are not read.`)
  if (entry.isEncrypted()) throw new UnfitArchive(`${quoted(path)} is encrypted.`)
  if (compressionMethod !== 0 && compressionMethod !== deflated)
    throw new UnfitArchive(`${quoted(path)} is packed by a method that is not read: store or deflate it.`)
  if (compressionMethod === 0 && packedBytes !== sizeBytes) throw new UnfitArchive(`${quoted(path)} has two sizes.`)
  return {
    path,
    packedBytes,
    sizeBytes,
    isDeflated: compressionMethod === deflated,
    headerAt: entry.relativeOffsetOfLocalHeader,
    crc: entry.crc32,
  }
}

/** Files that share their bytes unpack to more than any count of them tells. */
const refuseOverlaps = (listed: readonly Listed[], archiveBytes: number): void => {
  let end = 0
  for (const { path, headerAt, packedBytes } of [...listed].sort((a, b) => a.headerAt - b.headerAt)) {
    if (headerAt < end) throw new UnfitArchive(`${quoted(path)} overlaps another file.`)
    end = headerAt + localHeaderBytes + packedBytes
    if (end > archiveBytes) throw new UnfitArchive(`${quoted(path)} is cut off.`)
  }
}

const megabytes = (bytes: number): number => Math.floor(bytes / 1024 / 1024)

const listFiles = async (archivePath: string, archiveBytes: number): Promise<Listed[]> => {
  const directory = await openPromise(archivePath, { lazyEntries: true, autoClose: false, strictFileNames: true })
  try {
    // Said at the end of the archive, before a single name of the directory is read.
    if (directory.entryCount > Limits.importFilesMax)
      throw new UnfitArchive(`It holds ${directory.entryCount} files: ${Limits.importFilesMax} are the most.`)
    const listed: Listed[] = []
    const known = new Set<string>()
    let unpacked = 0
    for await (const entry of directory.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue
      const file = listedOf(entry)
      if (known.has(file.path)) throw new UnfitArchive(`${quoted(file.path)} is there twice.`)
      known.add(file.path)
      unpacked += file.sizeBytes
      if (unpacked > Limits.importUnpackedMaxBytes)
        throw new UnfitArchive(`It unpacks to more than ${megabytes(Limits.importUnpackedMaxBytes)} MB.`)
      listed.push(file)
    }
    if (unpacked > Math.max(Limits.importRatioFreeBytes, archiveBytes * Limits.importRatioMax))
      throw new UnfitArchive(`It unpacks to more than ${Limits.importRatioMax} times its size.`)
    refuseOverlaps(listed, archiveBytes)
    return listed
  } finally {
    directory.close()
  }
}

/** Files that others put beside what people wrote. */
const isByproduct = (path: string): boolean =>
  /(?:^|\/)(?:__MACOSX|\.git|node_modules|__pycache__)\//.test(path) || /(?:^|\/)(?:\.DS_Store|Thumbs\.db)$/.test(path)

const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1)

/**
 * A zip on the disk as a tree of files. Its directory is judged as a whole before any file is unpacked, and a file unpacks to the
 * size that the directory says or not at all.
 *
 * @throws UnfitArchive
 */
export const openArchive = async (archivePath: string): Promise<Archive> => {
  const archiveBytes = statSync(archivePath).size
  const listed = await listFiles(archivePath, archiveBytes).catch((cause: unknown) => {
    throw cause instanceof UnfitArchive ? cause : new UnfitArchive(`It is no zip that can be read: ${(cause as Error).message}.`)
  })
  const descriptor = openSync(archivePath, 'r')
  const read = (start: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length)
    let done = 0
    while (done < length) {
      const count = readSync(descriptor, bytes, done, length - done, start + done)
      if (count === 0) throw new UnfitArchive('It is cut off.')
      done += count
    }
    return bytes
  }
  const found = new Map<string, Listed>()
  for (const file of listed.filter(({ path }) => !isByproduct(path)).sort(byPath)) found.set(file.path, file)

  // The local header repeats the name, and may carry other extra fields than the directory.
  const startOf = ({ headerAt, path, packedBytes }: Listed): number => {
    const header = read(headerAt, localHeaderBytes)
    if (header.readUInt32LE(0) !== 0x04034b50) throw new UnfitArchive(`${quoted(path)} is not where the archive says.`)
    const start = headerAt + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28)
    if (start + packedBytes > archiveBytes) throw new UnfitArchive(`${quoted(path)} is cut off.`)
    return start
  }

  const unpack = (file: Listed): Buffer => {
    const packed = read(startOf(file), file.packedBytes)
    const bytes = file.isDeflated ? inflateRawSync(packed, { maxOutputLength: Math.max(1, file.sizeBytes) }) : packed
    if (bytes.length !== file.sizeBytes || crc32(bytes) !== file.crc) throw new Error(`${file.path} is damaged.`)
    return bytes
  }

  return {
    sizeOf: (path) => found.get(path)?.sizeBytes,
    locate: (path) => {
      const file = found.get(path)
      if (file === undefined) throw new Error(`${path} is not here.`)
      const { packedBytes, sizeBytes, isDeflated } = file
      return { path, packedBytes, sizeBytes, isDeflated, start: startOf(file) }
    },
    tree: {
      paths: [...found.keys()],
      readText: (path, maxBytes) => {
        const file = found.get(path)
        if (file === undefined) throw new Error(`${path} is not here.`)
        if (file.sizeBytes > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes.`)
        return new TextDecoder('utf-8', { fatal: true }).decode(unpack(file))
      },
    },
    close: () => closeSync(descriptor),
  }
}
