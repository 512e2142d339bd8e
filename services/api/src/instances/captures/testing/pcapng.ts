export type WrittenPacket = Readonly<{
  interfaceName: string
  linkType: number
  /** Time since 1970, in ns. */
  time: bigint
  wireBytes: number
  text: string
}>

/** Reads a little-endian pcapng file with one section, whose interfaces count time in ns. */
export function readPcapng(file: Buffer): WrittenPacket[] {
  const interfaces: { name: string; linkType: number }[] = []
  const packets: WrittenPacket[] = []
  let at = 0
  while (at < file.length) {
    const [type, bytes] = [file.readUInt32LE(at), file.readUInt32LE(at + 4)]
    if (file.readUInt32LE(at + bytes - 4) !== bytes || bytes % 4 !== 0) throw new Error('A block has two lengths')
    const content = file.subarray(at + 8, at + bytes - 4)
    if ((at === 0) !== (type === 0x0a0d0d0a)) throw new Error('The section has no beginning')
    if (type === 1) {
      const nameBytes = content.readUInt16LE(10)
      const afterName = 12 + Math.ceil(nameBytes / 4) * 4
      if (content.readUInt16LE(8) !== 2 || content.readUInt16LE(afterName) !== 9 || content[afterName + 4] !== 9)
        throw new Error('An interface has no name or another unit of time')
      interfaces.push({ name: content.toString('utf8', 12, 12 + nameBytes), linkType: content.readUInt16LE(0) })
    }
    if (type === 6) {
      const { name, linkType } = interfaces[content.readUInt32LE(0)] ?? {}
      if (name === undefined || linkType === undefined) throw new Error('A packet has no interface')
      packets.push({
        interfaceName: name,
        linkType,
        time: (BigInt(content.readUInt32LE(4)) << 32n) | BigInt(content.readUInt32LE(8)),
        wireBytes: content.readUInt32LE(16),
        text: content.toString('latin1', 20, 20 + content.readUInt32LE(12)),
      })
    }
    at += bytes
  }
  return packets
}
