import { fileHeaderBytes, maxFrameBytes, NotACaptureError, readPcapFormat, recordHeaderBytes } from './pcap.ts'

export type Packet = Readonly<{
  /** Time since 1970, in ns. */
  time: bigint
  /** Link type of the recorded network interface, such as 1 for Ethernet. */
  linkType: number
  /** Length of the packet on the wire, in bytes. `data` is shorter if the recorder truncated the packet. */
  wireBytes: number
  data: Buffer
}>

/**
 * Reads the packets of a pcap file. Buffers one packet and one chunk of the file.
 * @throws NotACaptureError for other files
 */
export async function* readPackets(content: AsyncIterable<Buffer>): AsyncGenerator<Packet> {
  let data: Buffer = Buffer.alloc(0)
  let format: ReturnType<typeof readPcapFormat> | undefined
  let linkType = 0
  for await (const chunk of content) {
    data = data.length === 0 ? chunk : Buffer.concat([data, chunk])
    let start = 0
    if (format === undefined) {
      if (data.length < fileHeaderBytes) continue
      format = readPcapFormat(data)
      linkType = format.numberAt(data, 20) & 0xffff
      start = fileHeaderBytes
    }
    const { numberAt, fractionNs } = format
    while (start + recordHeaderBytes <= data.length) {
      const frameBytes = numberAt(data, start + 8)
      if (frameBytes > maxFrameBytes) throw new NotACaptureError('A frame of the capture is too long')
      const end = start + recordHeaderBytes + frameBytes
      if (end > data.length) break
      yield {
        time: BigInt(numberAt(data, start)) * 1_000_000_000n + BigInt(numberAt(data, start + 4) * fractionNs),
        linkType,
        wireBytes: numberAt(data, start + 12),
        data: data.subarray(start + recordHeaderBytes, end),
      }
      start = end
    }
    data = data.subarray(start)
  }
  if (format === undefined && data.length > 0) throw new NotACaptureError('The capture is not a pcap file')
}
