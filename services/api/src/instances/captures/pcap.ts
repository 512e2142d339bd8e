import { Transform } from 'node:stream'

/** Sizes of the classic pcap format, in bytes. */
export const fileHeaderBytes = 24
export const recordHeaderBytes = 16

/** Maximum size of one frame in bytes. The recorder truncates frames at 64 KB. */
export const maxFrameBytes = 262_144

/**
 * Map from the magic number of a pcap file to the resolution of its timestamps, in ns. The magic number is in the byte
 * order of the file.
 */
const fractionsNs = new Map([
  [0xa1b2c3d4, 1000],
  [0xa1b23c4d, 1],
])

/** Byte order and time resolution of a pcap file. */
export type PcapFormat = Readonly<{
  numberAt: (data: Buffer, offset: number) => number
  /** Resolution of the timestamps, in ns. */
  fractionNs: number
}>

const byteOrders: readonly PcapFormat['numberAt'][] = [
  (data, offset) => data.readUInt32LE(offset),
  (data, offset) => data.readUInt32BE(offset),
]

/** Returns the format of a file by its header. @throws NotACaptureError if it is not a pcap file */
export function readPcapFormat(header: Buffer): PcapFormat {
  for (const numberAt of byteOrders) {
    const fractionNs = fractionsNs.get(numberAt(header, 0))
    if (fractionNs !== undefined) return { numberAt, fractionNs }
  }
  throw new NotACaptureError('The capture is not a pcap file')
}

/** Error for a file that is not a capture. A retry does not help. */
export class NotACaptureError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotACaptureError'
  }
}

/** Numbers of bytes and packets that the filter has passed on. */
export type PcapCount = Readonly<{
  bytes: number
  packets: number
}>

/**
 * Stream that copies a pcap file, and removes an incomplete frame at the end. Fails with a NotACaptureError if the data is no pcap
 * file, or exceeds `maxBytes`.
 */
export class PcapFilter extends Transform {
  #chunks: Buffer[] = []
  #bufferedBytes = 0
  #wantedBytes = fileHeaderBytes
  #format: PcapFormat | undefined
  #bytes = 0
  #packets = 0
  readonly #maxBytes: number

  constructor({ maxBytes }: { maxBytes: number }) {
    super()
    this.#maxBytes = maxBytes
  }

  get count(): PcapCount {
    return { bytes: this.#bytes, packets: this.#packets }
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    try {
      this.#chunks.push(chunk)
      this.#bufferedBytes += chunk.length
      if (this.#bufferedBytes >= this.#wantedBytes) this.#take(Buffer.concat(this.#chunks))
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  #take(data: Buffer): void {
    let end = this.#headerEnd(data)
    let wantedBytes = recordHeaderBytes
    while (this.#format !== undefined && end + recordHeaderBytes <= data.length) {
      const frameBytes = this.#format.numberAt(data, end + 8)
      if (frameBytes > maxFrameBytes) throw new NotACaptureError('A frame of the capture is too long')
      const recordBytes = recordHeaderBytes + frameBytes
      if (end + recordBytes > data.length) {
        wantedBytes = recordBytes
        break
      }
      end += recordBytes
      this.#packets += 1
    }
    this.#chunks = [Buffer.from(data.subarray(end))]
    this.#bufferedBytes = data.length - end
    this.#wantedBytes = wantedBytes
    if (end === 0) return
    this.#bytes += end
    if (this.#bytes > this.#maxBytes) throw new NotACaptureError('The capture is too long')
    this.push(data.subarray(0, end))
  }

  /** Returns the offset of the first frame. It is 0 if the header was already passed on or is incomplete. */
  #headerEnd(data: Buffer): number {
    if (this.#format !== undefined || data.length < fileHeaderBytes) return 0
    this.#format = readPcapFormat(data)
    return fileHeaderBytes
  }
}
