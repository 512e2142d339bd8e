import { fstatSync, readSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { crc32, inflateRawSync } from 'node:zlib'
import { isDeviceName, normalizePathCase } from '@capstan/challenge-files/safe-names'
import { type FileTree, folderOf, printableName } from '@capstan/challenge-files/tree'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { type Entry, fromFdPromise, getFileNameLowLevel } from 'yauzl'
import { type ArchivedFile, openArchiveEntry } from './entry-stream.ts'
import { UnfitArchive } from './unfit-archive.ts'

export type Archive = Readonly<{
  tree: FileTree
  sizeOf: (path: string) => number | undefined
  /**
   * Returns the position of a file in the archive.
   * @throws if the file is missing
   */
  locate: (path: string) => ArchivedFile
  open: (path: string) => Readable
}>

/** Directory entry of a file. Its content is not read yet. */
type Listed = Omit<ArchivedFile, 'start'> &
  Readonly<{
    headerAt: number
    /** Name as raw bytes in an unknown encoding. */
    rawName: Buffer
  }>

const localHeaderBytes = 30
const stored = 0
const deflated = 8
const linkMode = 0o120000
const typeOfMode = 0o170000

/** Signatures of the two records that may follow the last directory entry: the end record, and its 64-bit form. */
const endSignatures = [0x06054b50, 0x06064b50]

function quoted(name: string): string {
  return `\`${printableName(name)}\``
}

/** Returns why a path is refused, as the end of a sentence that begins with the path. @returns undefined for a valid path */
function faultOfPath(path: string): string | undefined {
  if (path.length > InputLimits.maxFileNameLength) return 'has a name that is too long'
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'has an absolute path'
  if (path.includes('\\')) return 'has a backslash in its name'
  if (/[\p{Cc}\u{fffd}\u{202a}-\u{202e}\u{2066}-\u{2069}]/u.test(path)) return 'has a name with invalid characters'
  const parts = path.split('/')
  if (parts.includes('..')) return 'has a path outside of its folder'
  if (parts.length > Limits.maxImportDepth) return 'is nested in too many folders'
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'has a path with empty parts or dots'
  return parts.some(isDeviceName) ? 'has a device name' : undefined
}

/** True if an entry is a link or a device. Unix systems store the file type in the upper attribute bits. */
function isSpecial({ externalFileAttributes }: Entry): boolean {
  const mode = (externalFileAttributes >>> 16) & typeOfMode
  return mode === linkMode || (mode !== 0 && mode !== 0o100000 && mode !== 0o040000)
}

/**
 * Returns the name of an entry without the library's check. That check would refuse the whole archive because of one invalid name.
 */
function pathOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true)
}

/** Returns why the content of an entry cannot be read, as the end of a sentence that begins with the path. */
function faultOfContent(entry: Entry): string | undefined {
  const { compressedSize, uncompressedSize, compressionMethod } = entry
  if (isSpecial(entry)) return 'is a link or a device'
  if (entry.isEncrypted()) return 'is encrypted'
  if (compressionMethod !== stored && compressionMethod !== deflated) return 'is compressed by a method other than deflate'
  return compressionMethod === stored && compressedSize !== uncompressedSize ? 'has two different sizes' : undefined
}

function faultOf(entry: Entry, path: string): string | undefined {
  const isFolder = path.endsWith('/')
  const fault = faultOfPath(isFolder ? path.slice(0, -1) : path)
  return fault ?? (isFolder && !isSpecial(entry) ? undefined : faultOfContent(entry))
}

function listedOf(entry: Entry, path: string): Listed {
  const { compressedSize: packedBytes, uncompressedSize: sizeBytes, compressionMethod } = entry
  return {
    path,
    packedBytes,
    sizeBytes,
    isDeflated: compressionMethod === deflated,
    headerAt: entry.relativeOffsetOfLocalHeader,
    crc: entry.crc32,
    rawName: entry.fileNameRaw,
  }
}

/**
 * Omits all but the first of several paths that some systems treat as equal. If several entries have the same path and equal
 * contents, one entry remains. If their contents differ, all these entries are omitted. If a path is both a file and a folder,
 * the file is omitted.
 */
function leaveOutDoubles(listed: readonly Listed[], leftOut: Map<string, string>): void {
  const known = new Map<string, Listed>()
  for (const file of listed) {
    const { path } = file
    const other = known.get(normalizePathCase(path))
    if (other === undefined) known.set(normalizePathCase(path), file)
    else if (other.path !== path) leftOut.set(path, `has the same name as ${quoted(other.path)} on other systems`)
    else if (other.sizeBytes !== file.sizeBytes || other.crc !== file.crc)
      leftOut.set(path, 'occurs several times with different contents')
  }
  for (const { path } of listed)
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
      const other = known.get(normalizePathCase(folder))?.path
      if (other === folder) leftOut.set(folder, 'is both a file and a folder')
      else if (other !== undefined)
        leftOut.set(path, `is in a folder that other systems cannot distinguish from the file ${quoted(other)}`)
    }
}

/** Refuses files that share bytes, because they could unpack to far more than the archive size suggests. */
function refuseOverlaps(listed: readonly Listed[], archiveBytes: number): void {
  let end = 0
  for (const { path, headerAt, packedBytes } of [...listed].sort((a, b) => a.headerAt - b.headerAt)) {
    if (headerAt < end) throw new UnfitArchive(`${quoted(path)} overlaps another file.`)
    end = headerAt + localHeaderBytes + packedBytes
    if (end > archiveBytes) throw new UnfitArchive(`${quoted(path)} is incomplete.`)
  }
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024)
}

type Read = (start: number, length: number) => Buffer

type Listing = Readonly<{
  listed: readonly Listed[]
  /** Reasons why entries are not read, by path. Each reason continues a sentence that begins with the path. */
  leftOut: ReadonlyMap<string, string>
}>

/**
 * Reads the directory and compares the directory with the entries, so that all readers see the same files. Ignored entries also
 * count toward every limit.
 */
async function listFiles(descriptor: number, archiveBytes: number, read: Read): Promise<Listing> {
  // The caller closes the descriptor, so the library must not close it. Disable the library's size check. Otherwise, it would
  // refuse the whole archive because of one bad entry.
  const directory = await fromFdPromise(descriptor, { autoClose: false, decodeStrings: false, validateEntrySizes: false })
  // The end record contains the number of files, so the limit is checked before any name is read.
  if (directory.entryCount > Limits.maxImportFiles)
    throw new UnfitArchive(`The archive has ${directory.entryCount} files, but at most ${Limits.maxImportFiles} are allowed.`)
  const listed: Listed[] = []
  const leftOut = new Map<string, string>()
  let unpacked = 0
  for await (const entry of directory.eachEntry()) {
    const path = pathOf(entry)
    const fault = faultOf(entry, path)
    if (fault !== undefined) leftOut.set(path, fault)
    // Folder entries are not needed, because the paths of files contain the folders.
    else if (path.endsWith('/')) continue
    const file = listedOf(entry, path)
    unpacked += file.sizeBytes
    if (unpacked > Limits.maxUnpackedImportBytes)
      throw new UnfitArchive(`The archive unpacks to more than ${megabytes(Limits.maxUnpackedImportBytes)} MB.`)
    listed.push(file)
  }
  // The end record counts files with only 16 bits, so the archive may contain more files. Check that the end record
  // follows the last counted file. `readEntryCursor` is the position after this file. The library wrongly declares it
  // as a boolean.
  const end = read(Number(directory.readEntryCursor), 4).readUInt32LE(0)
  if (!endSignatures.includes(end)) throw new UnfitArchive('The archive has more files than its directory states.')
  if (unpacked > Math.max(Limits.importRatioFreeBytes, archiveBytes * Limits.maxImportRatio))
    throw new UnfitArchive(`The archive unpacks to more than ${Limits.maxImportRatio} times its size.`)
  leaveOutDoubles(
    listed.filter(({ path }) => !leftOut.has(path)),
    leftOut,
  )
  refuseOverlaps(listed, archiveBytes)
  return { listed, leftOut }
}

/** True for files that operating systems add to folders. */
function isByproduct(path: string): boolean {
  return /(?:^|\/)(?:__MACOSX|\.git|node_modules|__pycache__)\//.test(path) || /(?:^|\/)(?:\.DS_Store|Thumbs\.db)$/.test(path)
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1
}

/**
 * Opens a zip file on disk as a tree of files. Checks the complete directory before any file is unpacked. A read returns exactly
 * the content that the directory describes, or fails. Names in the archive are never used as paths on disk.
 * @param descriptor file descriptor that stays open during all reads
 * @throws UnfitArchive
 */
export async function openArchive(descriptor: number): Promise<Archive> {
  const archiveBytes = fstatSync(descriptor).size
  const read: Read = (start, length) => {
    const bytes = Buffer.alloc(length)
    let done = 0
    while (done < length) {
      const count = readSync(descriptor, bytes, done, length - done, start + done)
      if (count === 0) throw new UnfitArchive('The archive is incomplete.')
      done += count
    }
    return bytes
  }
  const { listed, leftOut } = await listFiles(descriptor, archiveBytes, read).catch((cause: unknown) => {
    throw cause instanceof UnfitArchive
      ? cause
      : new UnfitArchive(`The zip archive cannot be read: ${printableName((cause as Error).message).replace(/\.$/, '')}.`)
  })
  const found = new Map<string, Listed>()
  for (const file of listed.filter(({ path }) => !leftOut.has(path) && !isByproduct(path)).sort(byPath))
    found.set(file.path, file)

  const find = (path: string): Listed => {
    const file = found.get(path)
    if (file === undefined) throw new Error(`${path} is not in the archive.`)
    return file
  }

  // Read the local header, because its extra fields may have another length than the extra fields in the directory.
  const locate = (path: string): ArchivedFile => {
    const { headerAt, rawName, packedBytes, sizeBytes, isDeflated, crc } = find(path)
    const header = read(headerAt, localHeaderBytes)
    const nameBytes = header.readUInt16LE(26)
    const isThere = header.readUInt32LE(0) === 0x04034b50 && nameBytes === rawName.length
    if (!isThere || !read(headerAt + localHeaderBytes, nameBytes).equals(rawName))
      throw new UnfitArchive(`${quoted(path)} is not at the position in the directory.`)
    const start = headerAt + localHeaderBytes + nameBytes + header.readUInt16LE(28)
    if (start + packedBytes > archiveBytes) throw new UnfitArchive(`${quoted(path)} is incomplete.`)
    return { path, start, packedBytes, sizeBytes, isDeflated, crc }
  }

  const unpack = (path: string): Buffer => {
    const { start, packedBytes, sizeBytes, isDeflated, crc } = locate(path)
    const packed = read(start, packedBytes)
    const bytes = isDeflated ? inflateRawSync(packed, { maxOutputLength: Math.max(1, sizeBytes) }) : packed
    if (bytes.length !== sizeBytes || crc32(bytes) !== crc) throw new Error(`${path} is damaged.`)
    return bytes
  }

  return {
    sizeOf: (path) => found.get(path)?.sizeBytes,
    locate,
    open: (path) => openArchiveEntry(descriptor, locate(path)),
    tree: {
      paths: [...found.keys()],
      leftOut: new Map([...leftOut].filter(([path]) => !isByproduct(path)).sort(([a], [b]) => (a < b ? -1 : 1))),
      readText: (path, maxBytes) => {
        if (find(path).sizeBytes > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes.`)
        return new TextDecoder('utf-8', { fatal: true }).decode(unpack(path))
      },
    },
  }
}
