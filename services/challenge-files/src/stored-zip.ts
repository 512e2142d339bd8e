/**
 * Writes archives whose bytes depend only on their files. The entries are uncompressed and sorted by name, and have the earliest
 * time that a zip can store.
 */

export type StoredEntry = Readonly<{
  name: string
  sizeBytes: number
  /** CRC-32 of the content. */
  crc: number
}>

/**
 * 1 January 1980 in DOS format. The lowest 16 bits are the time. The next bits are the day (5), the month (4), and the years since
 * 1980 (7).
 */
const dosTime = (1 << 21) | (1 << 16)
const utf8Flag = 0x800
const localSignature = 0x04034b50
const centralSignature = 0x02014b50
const endSignature = 0x06054b50
/** Version 2.0 of the format, which is required for names with folders. */
const zipVersion = 20

/** Builds a record of little-endian numbers with the given number of bytes each, followed by `tail`. */
function recordOf(numbers: readonly (readonly [value: number, bytes: 2 | 4])[], tail = new Uint8Array()): Uint8Array {
  const size = numbers.reduce((sum, [, bytes]) => sum + bytes, 0)
  const record = new Uint8Array(size + tail.length)
  const view = new DataView(record.buffer)
  let at = 0
  for (const [value, bytes] of numbers) {
    if (bytes === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += bytes
  }
  record.set(tail, at)
  return record
}

function sharedFields({ name, sizeBytes, crc }: StoredEntry) {
  const bytes = new TextEncoder().encode(name)
  const flags = bytes.length === name.length ? 0 : utf8Flag
  return {
    bytes,
    fields: [
      [zipVersion, 2],
      [flags, 2],
      [0, 2],
      [dosTime, 4],
      [crc, 4],
      [sizeBytes, 4],
      [sizeBytes, 4],
      [bytes.length, 2],
      [0, 2],
    ] as const,
  }
}

function localHeader(entry: StoredEntry): Uint8Array {
  const { bytes, fields } = sharedFields(entry)
  return recordOf([[localSignature, 4], ...fields], bytes)
}

function centralHeader(entry: StoredEntry, offset: number): Uint8Array {
  const { bytes, fields } = sharedFields(entry)
  return recordOf([[centralSignature, 4], [zipVersion, 2], ...fields, [0, 4], [0, 2], [0, 4], [offset, 4]], bytes)
}

/**
 * Returns the bytes of an archive, one file after another.
 * @param open function that returns the content of an entry
 */
export async function* streamUncompressedZip<Entry extends StoredEntry>(
  entries: readonly Entry[],
  open: (entry: Entry) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const central: Uint8Array[] = []
  let offset = 0
  for (const entry of [...entries].sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const header = localHeader(entry)
    yield header
    yield* open(entry)
    central.push(centralHeader(entry, offset))
    offset += header.length + entry.sizeBytes
  }
  yield* central
  const size = central.reduce((sum, { length }) => sum + length, 0)
  const count = central.length
  yield recordOf([
    [endSignature, 4],
    [0, 4],
    [count, 2],
    [count, 2],
    [size, 4],
    [offset, 4],
    [0, 2],
  ])
}
