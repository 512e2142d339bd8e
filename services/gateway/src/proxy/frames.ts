import { Limits } from '@capstan/contract/limits'

/** Opcodes of RFC 6455, section 5.2. */
const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
const finalFrame = 0x80
const maskedFrame = 0x80
const maxControlPayload = 125

export const closeFrame = Buffer.from([finalFrame | opcodes.close, 0])
export const pingFrame = Buffer.from([finalFrame | opcodes.ping, 0])

/** Close frame with status 1002, for a client that violates the protocol. */
export const protocolErrorFrame = Buffer.from([finalFrame | opcodes.close, 2, 1002 >> 8, 1002 & 0xff])

export function encodePongFrame(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([finalFrame | opcodes.pong, payload.length]), payload])
}

export function encodeBinaryFrames(bytes: Buffer): Buffer {
  const max = Limits.maxProxyFrameBytes
  const fullFrames = Math.floor(bytes.length / max)
  const rest = bytes.length % max
  const restHeader = rest === 0 ? 0 : headerLength(rest)
  const frames = Buffer.allocUnsafe(fullFrames * (headerLength(max) + max) + restHeader + rest)
  let at = 0
  for (let from = 0; from < bytes.length; from += max) {
    const length = Math.min(max, bytes.length - from)
    frames[at] = finalFrame | opcodes.binary
    if (length < 126) {
      frames[at + 1] = length
    } else {
      frames[at + 1] = 126
      frames.writeUInt16BE(length, at + 2)
    }
    at += headerLength(length)
    at += bytes.copy(frames, at, from, from + length)
  }
  return frames
}

function headerLength(payloadLength: number): 2 | 4 {
  return payloadLength < 126 ? 2 : 4
}

export type FrameListener = Readonly<{
  /**
   * Called at most once per `read`, with the joined payloads of the text and binary frames. The bytes are in the memory that was
   * passed to `read`.
   */
  data: (bytes: Buffer) => void
  /** Called at most once per `read`, with the payload of the newest ping. */
  ping: (payload: Buffer) => void
  /** Called when the client sends a close frame. Later bytes are ignored. */
  close: () => void
  /** Called when the client violates RFC 6455. All later bytes are ignored. */
  violation: () => void
}>

type Stage = 'header' | 'payload' | 'over'

/**
 * Reads a client's frames and forwards their payload as it arrives. A frame may have any length, so frames are never
 * buffered. `ws` would buffer whole messages and answer a close frame at once. ADR 19 compares `ws` with this class.
 *
 * One call of `read` may contain thousands of frames of a few bytes. The reader reports the content of these frames
 * together. Otherwise each frame would cause a write to a socket, and a write costs much more than a frame.
 */
export class ClientFrameReader {
  readonly #listener: FrameListener
  #stage: Stage = 'header'
  /** Frame header: 2 bytes, and up to 12 further bytes that the second byte announces. */
  readonly #header = Buffer.alloc(14)
  #headerFilled = 0
  #headerNeeded = 2
  #opcode = 0
  #isFinal = false
  /** True between the first and the last frame of a message. */
  #isInMessage = false
  #payloadLeft = 0
  readonly #mask = new Uint8Array(4)
  /** Index of the mask byte for the next payload byte, from 0 to 3. */
  #maskAt = 0
  /** Payload of the control frame that is being read. */
  #control = Buffer.alloc(maxControlPayload)
  #controlFilled = 0
  /** Payload of the newest ping, if `#pingLength` is defined. */
  #ping = Buffer.alloc(maxControlPayload)
  #pingLength: number | undefined
  /** Range of the bytes of the current `read` that contains the joined payloads of text and binary frames. */
  #dataFrom = 0
  #dataTo = 0
  /** Listener to call if the current `read` contained the end of the frames. */
  #end: (() => void) | undefined

  constructor(listener: FrameListener) {
    this.#listener = listener
  }

  read(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length && this.#stage !== 'over') {
      at = this.#stage === 'header' ? this.#readHeader(bytes, at) : this.#readPayload(bytes, at)
    }
    this.#report(bytes)
  }

  /**
   * Calls the listener with the payloads, the newest ping and the end of the frames that the current `read` contained.
   * Reports the end last, because no pong may follow a close frame.
   */
  #report(bytes: Buffer): void {
    const { data, ping } = this.#listener
    const [from, to, pingLength, end] = [this.#dataFrom, this.#dataTo, this.#pingLength, this.#end]
    this.#dataFrom = 0
    this.#dataTo = 0
    this.#pingLength = undefined
    this.#end = undefined
    if (to > from) data(bytes.subarray(from, to))
    if (pingLength !== undefined) ping(Buffer.from(this.#ping.subarray(0, pingLength)))
    end?.()
  }

  #readHeader(bytes: Buffer, from: number): number {
    let at = from
    while (at < bytes.length && this.#headerFilled < this.#headerNeeded) {
      this.#header[this.#headerFilled] = bytes[at] ?? 0
      this.#headerFilled += 1
      at += 1
    }
    if (this.#headerFilled < this.#headerNeeded) return at
    if (this.#headerNeeded === 2) this.#readFirstBytes()
    else this.#startPayload()
    return at
  }

  #readFirstBytes(): void {
    const first = this.#header[0] ?? 0
    const second = this.#header[1] ?? 0
    const shortLength = second & 0x7f
    this.#opcode = first & 0x0f
    this.#isFinal = (first & finalFrame) !== 0
    const hasReservedBits = (first & 0x70) !== 0
    const isMasked = (second & maskedFrame) !== 0
    if (hasReservedBits || !isMasked || !this.#isFrameInPlace(shortLength)) {
      this.#finish(this.#listener.violation)
      return
    }
    this.#headerNeeded = 6 + (shortLength === 126 ? 2 : shortLength === 127 ? 8 : 0)
  }

  /**
   * True if the protocol allows the frame at this point. Control frames must be short and unfragmented. A message must start with
   * a text or binary frame, and only continuation frames may follow.
   */
  #isFrameInPlace(shortLength: number): boolean {
    switch (this.#opcode) {
      case opcodes.continuation:
        return this.#isInMessage
      case opcodes.text:
      case opcodes.binary:
        return !this.#isInMessage
      case opcodes.close:
      case opcodes.ping:
      case opcodes.pong:
        return this.#isFinal && shortLength <= maxControlPayload
      default:
        return false
    }
  }

  #startPayload(): void {
    const shortLength = (this.#header[1] ?? 0) & 0x7f
    const high = shortLength === 127 ? this.#header.readUInt32BE(2) : 0
    this.#payloadLeft =
      shortLength === 127
        ? high * 2 ** 32 + this.#header.readUInt32BE(6)
        : shortLength === 126
          ? this.#header.readUInt16BE(2)
          : shortLength
    if (high > 0x1f_ffff) {
      this.#finish(this.#listener.violation)
      return
    }
    for (let index = 0; index < 4; index += 1) this.#mask[index] = this.#header[this.#headerNeeded - 4 + index] ?? 0
    this.#maskAt = 0
    this.#headerFilled = 0
    this.#headerNeeded = 2
    this.#controlFilled = 0
    this.#stage = 'payload'
    if (!this.#isControl) this.#isInMessage = !this.#isFinal
    if (this.#payloadLeft === 0) this.#endFrame()
  }

  get #isControl(): boolean {
    return this.#opcode >= opcodes.close
  }

  #readPayload(bytes: Buffer, from: number): number {
    const to = Math.min(bytes.length, from + this.#payloadLeft)
    unmask(bytes, from, to, this.#mask, this.#maskAt)
    this.#maskAt = (this.#maskAt + to - from) & 3
    this.#payloadLeft -= to - from
    if (this.#isControl) this.#controlFilled += bytes.copy(this.#control, this.#controlFilled, from, to)
    else this.#join(bytes, from, to)
    if (this.#payloadLeft === 0) this.#endFrame()
    return to
  }

  /** Moves a payload directly behind the earlier payloads of this `read`. */
  #join(bytes: Buffer, from: number, to: number): void {
    if (this.#dataTo === 0) this.#dataFrom = this.#dataTo = from
    if (this.#dataTo !== from) bytes.copyWithin(this.#dataTo, from, to)
    this.#dataTo += to - from
  }

  #endFrame(): void {
    this.#stage = 'header'
    if (this.#opcode === opcodes.close) this.#finish(this.#listener.close)
    else if (this.#opcode === opcodes.ping) {
      ;[this.#ping, this.#control] = [this.#control, this.#ping]
      this.#pingLength = this.#controlFilled
    }
  }

  #finish(report: () => void): void {
    this.#stage = 'over'
    this.#end = report
  }
}

/** Minimum number of words for which a view of the memory costs less than a loop over the bytes. */
const minWords = 16

/**
 * Unmasks a range of bytes. Unmasks four bytes at a time if the memory is aligned, because this is the busiest loop of the proxy.
 * The first mask byte is the lowest byte of the word, since all supported machines are little-endian.
 */
function unmask(bytes: Buffer, from: number, to: number, mask: Uint8Array, maskAt: number): void {
  const maskByte = (at: number): number => mask[(maskAt + at - from) & 3] ?? 0
  const aligned = Math.min(to, from + (-(bytes.byteOffset + from) & 3))
  const words = (to - aligned) >>> 2
  let at = from
  if (words >= minWords) {
    for (; at < aligned; at += 1) bytes[at] = (bytes[at] ?? 0) ^ maskByte(at)
    const word = maskByte(at) | (maskByte(at + 1) << 8) | (maskByte(at + 2) << 16) | (maskByte(at + 3) << 24)
    const view = new Int32Array(bytes.buffer, bytes.byteOffset + at, words)
    for (let index = 0; index < words; index += 1) view[index] = (view[index] ?? 0) ^ word
    at += words * 4
  }
  for (; at < to; at += 1) bytes[at] = (bytes[at] ?? 0) ^ maskByte(at)
}
