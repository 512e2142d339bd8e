export type PcapOptions = Readonly<{
  endian?: 'little' | 'big'
  /** Resolution of the timestamps of the frames. */
  unit?: 'microseconds' | 'nanoseconds'
  /** Times of the frames since 1970, counted in `unit`. They are 0 by default. */
  times?: readonly bigint[]
}>

/** Returns a pcap file (Ethernet) with one frame for each text. */
export function aPcap(
  frames: readonly string[],
  { endian = 'little', unit = 'microseconds', times = [] }: PcapOptions = {},
): Buffer {
  const numbers = (values: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [at, value] of values.entries())
      endian === 'little' ? bytes.writeUInt32LE(value, at * 4) : bytes.writeUInt32BE(value, at * 4)
    return bytes
  }
  const version = endian === 'little' ? 0x0004_0002 : 0x0002_0004
  const header = numbers([unit === 'microseconds' ? 0xa1b2c3d4 : 0xa1b23c4d, version, 0, 0, 65_535, 1])
  const perSecond = unit === 'microseconds' ? 1_000_000n : 1_000_000_000n
  const records = frames.map((text, index) => {
    const time = times[index] ?? 0n
    return Buffer.concat([
      numbers([Number(time / perSecond), Number(time % perSecond), text.length, text.length]),
      Buffer.from(text),
    ])
  })
  return Buffer.concat([header, ...records])
}
