import { inflateSync } from 'node:zlib'

const woffSignature = 0x774f4646
const woffHeadBytes = 44
const woffEntryBytes = 20
const sfntHeadBytes = 12
const sfntEntryBytes = 16

function padded(length: number): number {
  return (length + 3) & ~3
}

/**
 * Unpacks a font file from WOFF (W3C recommendation, version 1.0), because the font library would otherwise decompress a table
 * again for each glyph.
 */
export function unpackWoff(file: Buffer): Buffer {
  if (file.readUInt32BE(0) !== woffSignature) throw new Error('The file is not a WOFF font')
  const count = file.readUInt16BE(12)
  const head = Buffer.alloc(sfntHeadBytes + count * sfntEntryBytes)
  const exponent = Math.floor(Math.log2(count))
  head.writeUInt32BE(file.readUInt32BE(4), 0)
  head.writeUInt16BE(count, 4)
  head.writeUInt16BE(2 ** exponent * 16, 6)
  head.writeUInt16BE(exponent, 8)
  head.writeUInt16BE((count - 2 ** exponent) * 16, 10)
  const tables: Buffer[] = []
  let offset = head.length
  for (let index = 0; index < count; index++) {
    const entry = woffHeadBytes + index * woffEntryBytes
    const [from, packedBytes, bytes] = [4, 8, 12].map((at) => file.readUInt32BE(entry + at)) as [number, number, number]
    const packed = file.subarray(from, from + packedBytes)
    const table = packedBytes < bytes ? inflateSync(packed) : packed
    const target = sfntHeadBytes + index * sfntEntryBytes
    file.copy(head, target, entry, entry + 4)
    file.copy(head, target + 4, entry + 16, entry + 20)
    head.writeUInt32BE(offset, target + 8)
    head.writeUInt32BE(bytes, target + 12)
    tables.push(table, Buffer.alloc(padded(bytes) - bytes))
    offset += padded(bytes)
  }
  return Buffer.concat([head, ...tables])
}
