import type { Merged } from './merge.ts'
import type { Packet } from './packets.ts'

/** Block types, option codes and magic number of the pcapng format: https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/ */
const blockTypes = { section: 0x0a0d0d0a, interface: 1, packet: 6 } as const
const options = { end: 0, interfaceName: 2, timeUnit: 9 } as const
const byteOrderMagic = 0x1a2b3c4d
/** Exponent of the time unit: 10^-9 s. */
const nanoseconds = 9

/** Size in bytes at which collected blocks are written as one chunk. */
const chunkBytes = 65_536

function padded(data: Buffer): Buffer {
  const surplus = data.length % 4
  return surplus === 0 ? data : Buffer.concat([data, Buffer.alloc(4 - surplus)])
}

/** Returns a block. Its length precedes and follows its content. */
function block(type: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const bytes = content.length + 12
  const head = Buffer.alloc(8)
  head.writeUInt32LE(type, 0)
  head.writeUInt32LE(bytes, 4)
  const tail = Buffer.alloc(4)
  tail.writeUInt32LE(bytes, 0)
  return Buffer.concat([head, content, tail])
}

function option(code: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(code, 0)
  head.writeUInt16LE(value.length, 2)
  return Buffer.concat([head, padded(value)])
}

function sectionBlock(): Buffer {
  const content = Buffer.alloc(16)
  content.writeUInt32LE(byteOrderMagic, 0)
  content.writeUInt16LE(1, 4)
  // The value -1 means that the length of the section is unknown.
  content.writeBigInt64LE(-1n, 8)
  return block(blockTypes.section, content)
}

function interfaceBlock(name: string, linkType: number): Buffer {
  const content = Buffer.alloc(8)
  content.writeUInt16LE(linkType, 0)
  // The field for the maximum length of a packet remains 0. The value 0 means that there is no limit.
  return block(
    blockTypes.interface,
    content,
    option(options.interfaceName, Buffer.from(name)),
    option(options.timeUnit, Buffer.from([nanoseconds])),
    option(options.end, Buffer.alloc(0)),
  )
}

function packetBlock(interfaceId: number, { time, wireBytes, data }: Packet): Buffer {
  const content = Buffer.alloc(20)
  content.writeUInt32LE(interfaceId, 0)
  content.writeUInt32LE(Number(time >> 32n), 4)
  content.writeUInt32LE(Number(time & 0xffff_ffffn), 8)
  content.writeUInt32LE(data.length, 12)
  content.writeUInt32LE(wireBytes, 16)
  return block(blockTypes.packet, content, padded(data))
}

/**
 * Writes packets as a pcapng file. Each merged stream becomes an interface. A stream with several link types becomes
 * one interface per link type.
 * @param names names of the streams
 */
export async function* writePcapng(packets: AsyncIterable<Merged<Packet>>, names: readonly string[]): AsyncGenerator<Buffer> {
  const interfaces = new Map<string, number>()
  let blocks = [sectionBlock()]
  let bytes = 0
  const write = (written: Buffer): void => {
    blocks.push(written)
    bytes += written.length
  }
  for await (const { source, value } of packets) {
    const key = `${source} ${value.linkType}`
    const interfaceId = interfaces.get(key) ?? interfaces.size
    if (interfaceId === interfaces.size) {
      interfaces.set(key, interfaceId)
      write(interfaceBlock(names[source] ?? '', value.linkType))
    }
    write(packetBlock(interfaceId, value))
    if (bytes < chunkBytes) continue
    yield Buffer.concat(blocks)
    blocks = []
    bytes = 0
  }
  if (blocks.length > 0) yield Buffer.concat(blocks)
}
