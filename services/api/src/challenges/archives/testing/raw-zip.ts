import { crc32, deflateRawSync } from 'node:zlib'

/** File of an archive. Its header fields can have any values. */
export type RawEntry = Readonly<{
  /** Name in the archive, which need not be UTF-8. */
  name: string | Buffer
  content?: string | Buffer
  localName?: string
  isDeflated?: boolean
  /** Compression method in the header. By default, the method of the content: stored or deflated. */
  method?: number
  flags?: number
  /** Unix type and permissions of the file. */
  mode?: number
  sizeBytes?: number
  crc?: number
  headerAt?: number
}>

export type RawEnd = Readonly<{
  /** Number of files that the end record claims. Default: the real number. */
  count?: number
  directoryAt?: number
}>

const utf8 = 0x800
const regularFile = 0o100644

function end(count: number, directoryAt: number, directoryBytes: number): Buffer {
  const bytes = Buffer.alloc(22)
  bytes.writeUInt32LE(0x06054b50, 0)
  bytes.writeUInt16LE(count % 65_536, 8)
  bytes.writeUInt16LE(count % 65_536, 10)
  bytes.writeUInt32LE(directoryBytes, 12)
  bytes.writeUInt32LE(directoryAt, 16)
  return bytes
}

function longEnd(count: number, directoryAt: number, directoryBytes: number): Buffer {
  const bytes = Buffer.alloc(56 + 20)
  bytes.writeUInt32LE(0x06064b50, 0)
  bytes.writeBigUInt64LE(44n, 4)
  bytes.writeBigUInt64LE(BigInt(count), 24)
  bytes.writeBigUInt64LE(BigInt(count), 32)
  bytes.writeBigUInt64LE(BigInt(directoryBytes), 40)
  bytes.writeBigUInt64LE(BigInt(directoryAt), 48)
  bytes.writeUInt32LE(0x07064b50, 56)
  bytes.writeBigUInt64LE(BigInt(directoryAt + directoryBytes), 64)
  bytes.writeUInt32LE(1, 72)
  return bytes
}

/** Writes a zip file with exactly these fields, even if the file is then invalid. */
export function createRawZip(entries: readonly RawEntry[], { count = entries.length, directoryAt }: RawEnd = {}): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const { isDeflated = false, flags = utf8, mode = regularFile } = entry
    const name = Buffer.from(entry.name as string)
    const localName = Buffer.from(entry.localName ?? name)
    const content = Buffer.from((entry.content ?? 'content') as string)
    const packed = isDeflated ? deflateRawSync(content, { level: 9 }) : content
    // Fields that the local header and the directory entry share: from the flags to the length of the name.
    const facts = Buffer.alloc(22)
    facts.writeUInt16LE(flags, 0)
    facts.writeUInt16LE(entry.method ?? (isDeflated ? 8 : 0), 2)
    facts.writeUInt32LE(entry.crc ?? crc32(content), 8)
    facts.writeUInt32LE(packed.length, 12)
    facts.writeUInt32LE(entry.sizeBytes ?? content.length, 16)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    facts.copy(local, 6)
    local.writeUInt16LE(localName.length, 26)
    files.push(local, localName, packed)
    const listed = Buffer.alloc(46)
    listed.writeUInt32LE(0x02014b50, 0)
    facts.copy(listed, 8)
    listed.writeUInt16LE(name.length, 28)
    listed.writeUInt32LE(mode * 65_536, 38)
    listed.writeUInt32LE(entry.headerAt ?? at, 42)
    directory.push(listed, name)
    at += local.length + localName.length + packed.length
  }
  const listing = Buffer.concat(directory)
  return Buffer.concat([...files, listing, end(count, directoryAt ?? at, listing.length)])
}

/**
 * Creates a valid archive of many empty files. @param says number of files that the end record claims; `short` writes only the
 * lower 16 bits of `count`
 */
export function createZipOfManyFiles(count: number, says: number | 'short' = count): Buffer {
  const nameBytes = 7
  const [localBytes, listedBytes] = [30 + nameBytes, 46 + nameBytes]
  const local = Buffer.alloc(localBytes, '0')
  local.fill(0, 0, 30).writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(nameBytes, 26)
  const listed = Buffer.alloc(listedBytes, '0')
  listed.fill(0, 0, 46).writeUInt32LE(0x02014b50, 0)
  listed.writeUInt16LE(nameBytes, 28)
  const directoryAt = count * localBytes
  const bytes = Buffer.alloc(count * (localBytes + listedBytes))
  // Copy the bytes of one entry, because this is much faster than writing every entry.
  bytes.fill(local, 0, directoryAt).fill(listed, directoryAt)
  for (let index = 0; index < count; index++) {
    const [here, there] = [index * localBytes, directoryAt + index * listedBytes]
    bytes.writeUInt32LE(here, there + 42)
    for (let digit = 0, rest = index; digit < nameBytes; digit++, rest = Math.floor(rest / 10)) {
      bytes[here + localBytes - 1 - digit] = 48 + (rest % 10)
      bytes[there + listedBytes - 1 - digit] = 48 + (rest % 10)
    }
  }
  const parts: Buffer[] = [bytes]
  if (says !== 'short') parts.push(longEnd(says, directoryAt, bytes.length - directoryAt))
  return Buffer.concat([...parts, end(count, directoryAt, bytes.length - directoryAt)])
}
