/** Returns a pcap file (Ethernet) with one frame for each text. */
export function aPcap(frames: readonly string[], endian: 'little' | 'big' = 'little'): Buffer {
  const numbers = (values: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [at, value] of values.entries())
      endian === 'little' ? bytes.writeUInt32LE(value, at * 4) : bytes.writeUInt32BE(value, at * 4)
    return bytes
  }
  const version = endian === 'little' ? 0x0004_0002 : 0x0002_0004
  const header = numbers([0xa1b2c3d4, version, 0, 0, 65_535, 1])
  const records = frames.map((text) => Buffer.concat([numbers([0, 0, text.length, text.length]), Buffer.from(text)]))
  return Buffer.concat([header, ...records])
}
