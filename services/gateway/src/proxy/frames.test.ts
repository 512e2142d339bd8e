import { describe, expect, it } from 'vitest'
import { ClientFrameReader, encodeBinaryFrames, encodePongFrame } from './frames.ts'

/** Returns a client's frame with the mask 1, 2, 3, 4. */
function aFrame(firstByte: number, payload: Buffer, lengthForm: 'short' | 'medium' | 'long' = 'short'): Buffer {
  const length =
    lengthForm === 'short'
      ? Buffer.from([0x80 | payload.length])
      : lengthForm === 'medium'
        ? Buffer.from([0x80 | 126, payload.length >> 8, payload.length & 0xff])
        : Buffer.from([0x80 | 127, 0, 0, 0, 0, 0, payload.length >> 16, (payload.length >> 8) & 0xff, payload.length & 0xff])
  const masked = Buffer.from(payload.map((byte, index) => byte ^ ((index % 4) + 1)))
  return Buffer.concat([Buffer.from([firstByte]), length, Buffer.from([1, 2, 3, 4]), masked])
}

function read(pieces: readonly Buffer[]): { data: string; events: string[] } {
  const events: string[] = []
  let data = ''
  const reader = new ClientFrameReader({
    data: (bytes) => {
      data += bytes.toString('latin1')
    },
    ping: (payload) => events.push(`ping ${payload}`),
    close: () => events.push('close'),
    violation: () => events.push('violation'),
  })
  for (const piece of pieces) reader.read(Buffer.from(piece))
  return { data, events }
}

function bytewise(bytes: Buffer) {
  return Array.from(bytes, (byte) => Buffer.from([byte]))
}
const text = Buffer.from('Hello, container! 0123456789')
const long = Buffer.from('abcdefghijklmnopqrstuvwxyz'.repeat(3_000))

describe('frames of the client', () => {
  it('frames of the client are read as in RFC 6455, section 5.7 (masked "Hello")', () => {
    const bytes = Buffer.from([0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])
    expect(read([bytes])).toEqual({ data: 'Hello', events: [] })
  })

  it.each<[string, Buffer[], Buffer]>([
    ['binary', [aFrame(0x82, text)], text],
    ['text', [aFrame(0x81, text)], text],
    ['several at once', [Buffer.concat([aFrame(0x82, text), aFrame(0x82, text)])], Buffer.concat([text, text])],
    ['byte by byte', bytewise(aFrame(0x82, text)), text],
    ['in a longer form of length', [aFrame(0x82, text, 'medium'), aFrame(0x82, text, 'long')], Buffer.concat([text, text])],
    ['long frames', [aFrame(0x82, long, 'long')], long],
    ['long frames byte by byte', bytewise(aFrame(0x82, long, 'long')), long],
    ['fragments', [aFrame(0x02, text), aFrame(0x00, text), aFrame(0x80, text)], Buffer.concat([text, text, text])],
    ['empty frames', [aFrame(0x82, Buffer.alloc(0)), aFrame(0x82, text)], text],
  ])('frames of the client are read: %s', (_name, pieces, expected) => {
    expect(read(pieces)).toEqual({ data: expected.toString('latin1'), events: [] })
  })

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('frames of the client are unmasked at any memory offset: %i', (offset) => {
    const frame = aFrame(0x82, long, 'long')
    const memory = Buffer.alloc(frame.length + offset)
    frame.copy(memory, offset)
    let data = ''
    const ignore = () => {}
    const reader = new ClientFrameReader({
      data: (bytes) => {
        data += bytes.toString('latin1')
      },
      ping: ignore,
      close: ignore,
      violation: ignore,
    })
    reader.read(memory.subarray(offset, offset + 33))
    reader.read(memory.subarray(offset + 33))
    expect(data).toBe(long.toString('latin1'))
    for (const short of [1, 2, 3, 4, 5, 9]) {
      const shortFrame = aFrame(0x82, text.subarray(0, short))
      shortFrame.copy(memory, offset)
      data = ''
      reader.read(memory.subarray(offset, offset + shortFrame.length))
      expect(data).toBe(text.toString('latin1', 0, short))
    }
  })

  it('a client may send pings between the fragments of a message', () => {
    expect(
      read([aFrame(0x02, text), aFrame(0x89, Buffer.from('hi')), aFrame(0x8a, Buffer.from('old')), aFrame(0x80, text)]),
    ).toEqual({
      data: `${text}${text}`,
      events: ['ping hi'],
    })
  })

  it('a burst of frames in one read is reported as one piece of data and the newest ping, before the close frame', () => {
    const reports: string[] = []
    const reader = new ClientFrameReader({
      data: (bytes) => void reports.push(bytes.toString()),
      ping: (payload) => void reports.push(`ping ${payload}`),
      close: () => void reports.push('close'),
      violation: () => void reports.push('violation'),
    })
    const ping = (text: string) => aFrame(0x89, Buffer.from(text))
    const pong = aFrame(0x8a, Buffer.from('pong'))
    const frames = [...String(text)].flatMap((letter, index) => [aFrame(0x82, Buffer.from(letter)), ping(`ping ${index}`), pong])
    const unfinished = ping('unfinished').subarray(0, 9)
    reader.read(Buffer.concat([...frames, aFrame(0x82, text), ping('newest'), unfinished]))
    expect(reports).toEqual([`${text}${text}`, 'ping newest'])
    reader.read(Buffer.concat([ping('unfinished').subarray(9), aFrame(0x81, text), aFrame(0x88, Buffer.alloc(0)), ping('late')]))
    expect(reports.slice(2)).toEqual([String(text), 'ping unfinished', 'close'])
  })

  it('frames of the client end with a close frame, and later bytes are ignored', () => {
    expect(read([aFrame(0x88, Buffer.from([3, 232])), aFrame(0x82, text), aFrame(0x88, Buffer.alloc(0))])).toEqual({
      data: '',
      events: ['close'],
    })
  })

  it.each<[string, Buffer]>([
    ['no mask', Buffer.from([0x82, 1, 65])],
    ['reserved bits', aFrame(0xc2, text)],
    ['an unknown kind', aFrame(0x83, text)],
    ['a continuation with no first frame', aFrame(0x80, text)],
    ['a control frame in fragments', aFrame(0x09, Buffer.from('a'))],
    ['a control frame of 126 bytes', aFrame(0x89, Buffer.alloc(126), 'medium')],
    ['a length beyond 2^53', Buffer.from([0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])],
  ])('frames of the client violate the protocol with %s', (_name, bytes) => {
    expect(read([bytes, aFrame(0x82, text)])).toEqual({ data: '', events: ['violation'] })
  })

  it('a client violates the protocol if it begins a message before the end of the previous message', () => {
    expect(read([aFrame(0x02, text), aFrame(0x82, text)])).toEqual({ data: text.toString(), events: ['violation'] })
  })
})

describe('frames for the client', () => {
  it.each<[number, number[]]>([
    [1, [1]],
    [125, [125]],
    [126, [126]],
    [4_096, [4_096]],
    [4_097, [4_096, 1]],
    [65_536, Array.from({ length: 16 }, () => 4_096)],
    [10_000, [4_096, 4_096, 1_808]],
  ])('frames for the client divide %i bytes into payloads of %j bytes', (length, expected) => {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => index % 251))
    const frames = encodeBinaryFrames(bytes)
    const payloads: Buffer[] = []
    for (let at = 0; at < frames.length; ) {
      expect(frames[at]).toBe(0x82)
      const short = frames[at + 1] ?? 0
      const [size, header] = short === 126 ? [frames.readUInt16BE(at + 2), 4] : [short, 2]
      payloads.push(frames.subarray(at + header, at + header + size))
      at += header + size
    }
    expect(payloads.map((payload) => payload.length)).toEqual(expected)
    expect(Buffer.concat(payloads).equals(bytes)).toBe(true)
  })

  it('a pong frame has the same payload as its ping', () => {
    expect(encodePongFrame(Buffer.from('hi'))).toEqual(Buffer.from([0x8a, 2, 0x68, 0x69]))
  })
})
