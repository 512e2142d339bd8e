import { Transform } from 'node:stream'

/** Sizes of the classic pcap format, in bytes. */
const fileHeaderBytes = 24
const recordHeaderBytes = 16

/** Most bytes of one frame; the recorder cuts frames at 64 KB. */
const longestFrameBytes = 262_144

/** Magic number of a pcap file with microseconds or nanoseconds, written by a little-endian machine, and by a big-endian one. */
const littleEndian = new Set([0xa1b2c3d4, 0xa1b23c4d])
const bigEndian = new Set([0xd4c3b2a1, 0x4d3cb2a1])

/** The file is no capture, whoever asks for it again. */
export class NotACaptureError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotACaptureError'
  }
}

/** What came out of a filter so far. */
export type PcapCount = Readonly<{
  bytes: number
  packets: number
}>

/**
 * Passes a pcap file on up to its last complete frame: a recorder that was killed leaves half a frame at the end, which programs
 * that read captures refuse. Counts what it passes on; holds one frame at most.
 * Fails with a NotACaptureError for what is no pcap file, and beyond `maxBytes`.
 */
export class PcapFilter extends Transform {
  #held: Buffer[] = []
  #heldBytes = 0
  /** How many held bytes make the next step possible: until then they are not put together, however small they come. */
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
      this.#held.push(chunk)
      this.#heldBytes += chunk.length
      if (this.#heldBytes >= this.#wantedBytes) this.#take(Buffer.concat(this.#held))
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  /** Passes the complete frames on and holds the rest. */
  #take(data: Buffer): void {
    let end = this.#headerEnd(data)
    let wantedBytes = recordHeaderBytes
    while (this.#isLittleEndian !== undefined && end + recordHeaderBytes <= data.length) {
      const frameBytes = this.#isLittleEndian ? data.readUInt32LE(end + 8) : data.readUInt32BE(end + 8)
      if (frameBytes > longestFrameBytes) throw new NotACaptureError('A frame of the capture is longer than any frame')
      const recordBytes = recordHeaderBytes + frameBytes
      if (end + recordBytes > data.length) {
        wantedBytes = recordBytes
        break
      }
      end += recordBytes
      this.#packets += 1
    }
    this.#held = [Buffer.from(data.subarray(end))]
    this.#heldBytes = data.length - end
    this.#wantedBytes = wantedBytes
    if (end === 0) return
    this.#bytes += end
    if (this.#bytes > this.#maxBytes) throw new NotACaptureError('The capture is longer than it may be')
    this.push(data.subarray(0, end))
  }

  /** Where the first frame begins; 0 when the header has been passed on or is not complete yet. */
  #headerEnd(data: Buffer): number {
    if (this.#isLittleEndian !== undefined || data.length < fileHeaderBytes) return 0
    const magic = data.readUInt32LE(0)
    if (!littleEndian.has(magic) && !bigEndian.has(magic)) throw new NotACaptureError('The capture is no pcap file')
    this.#isLittleEndian = littleEndian.has(magic)
    return fileHeaderBytes
  }
}
