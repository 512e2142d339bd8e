import { Transform } from 'node:stream'

/** Sizes of the classic pcap format, in bytes. */
const fileHeaderBytes = 24
const recordHeaderBytes = 16

/** Maximum size of one frame in bytes. The recorder truncates frames at 64 KB. */
const maxFrameBytes = 262_144

/** Magic numbers of pcap files by the byte order of the machine. Each order has one for microseconds and one for nanoseconds. */
const littleEndian = new Set([0xa1b2c3d4, 0xa1b23c4d])
const bigEndian = new Set([0xd4c3b2a1, 0x4d3cb2a1])

/** Error for a file that is not a capture. A retry does not help. */
export class NotACaptureError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotACaptureError'
  }
}

/** Counts of the data that passed the filter. */
export type PcapCount = Readonly<{
  bytes: number
  packets: number
}>

/**
 * Passes on a pcap file up to its last complete frame. A killed recorder leaves an incomplete last frame, and capture programs
 * refuse such files. Counts frames and bytes, and buffers at most one frame. Fails with a NotACaptureError for other files, and
 * for files larger than `maxBytes`.
 */
export class PcapFilter extends Transform {
  #chunks: Buffer[] = []
  #bufferedBytes = 0
  #wantedBytes = fileHeaderBytes
  #isLittleEndian: boolean | undefined
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
    while (this.#isLittleEndian !== undefined && end + recordHeaderBytes <= data.length) {
      const frameBytes = this.#isLittleEndian ? data.readUInt32LE(end + 8) : data.readUInt32BE(end + 8)
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
    if (this.#isLittleEndian !== undefined || data.length < fileHeaderBytes) return 0
    const magic = data.readUInt32LE(0)
    if (!littleEndian.has(magic) && !bigEndian.has(magic)) throw new NotACaptureError('The capture is not a pcap file')
    this.#isLittleEndian = littleEndian.has(magic)
    return fileHeaderBytes
  }
}
