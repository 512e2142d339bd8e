import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'

const durationSeconds = 240
const startSeconds = Date.UTC(2025, 2, 14, 4, 10) / 1000

/**
 * Returns a generator of numbers from 0 to 1. The numbers depend only on `seed`, so the same flag always results in the same file.
 */
function randomOf(seed: string): () => number {
  let block = createHash('sha256').update(seed).digest()
  let at = 0
  return () => {
    if (at === block.length) {
      block = createHash('sha256').update(block).digest()
      at = 0
    }
    const value = block.readUInt32BE(at) / 2 ** 32
    at += 4
    return value
  }
}

function checksum(body: string): number {
  return Buffer.from(body, 'latin1').reduce((sum, byte) => sum ^ byte, 0)
}

/** Returns an NMEA 0183 sentence with a checksum that differs from the correct checksum by `error` (0 = correct). */
function sentence(body: string, error = 0): string {
  return `$${body}*${(checksum(body) ^ error).toString(16).toUpperCase().padStart(2, '0')}\r\n`
}

const sounder = { address: 31, port: 40031 }
const compass = { address: 32, port: 40032 }
const wind = { address: 33, port: 40033 }
const receiver = { address: 34, port: 40034 }

/** Creates a network recording (pcap). Each wrong checksum of a message hides one character of `flag`. */
export function makeAttachment(flag: string): Uint8Array {
  const random = randomOf(flag)
  const fixed = (value: number, digits = 1): string => value.toFixed(digits)
  const packets: Buffer[] = [fileHeader()]
  const secret = [...Buffer.from(flag, 'latin1')]
  let course = 143
  let depth = 13
  for (let second = 0; second < durationSeconds; second++) {
    const say = (from: typeof sounder, text: string, atMs: number) =>
      packets.push(packet(from, text, startSeconds + second, Math.round((atMs + 20 * random()) * 1000)))
    course += random() * 2 - 1
    depth = Math.max(3, depth + random() - 0.5)
    if (second % 2 === 0) say(compass, sentence(`HCHDT,${fixed(course)},T`), 90)
    if (second % 3 === 1) say(wind, sentence(`WIMWV,${fixed(200 + 30 * random())},R,${fixed(10 + 5 * random())},N,A`), 310)
    if (second % 4 === 2) {
      const time = new Date((startSeconds + second) * 1000).toISOString().slice(11, 19).replaceAll(':', '')
      const north = fixed(3.1 + second / 900, 3).padStart(6, '0')
      say(
        receiver,
        sentence(
          `GPRMC,${time}.00,A,54${north},N,008${fixed(12.4 + second / 700, 3)},E,${fixed(6 + random())},${fixed(course)},140325,,,A`,
        ),
        520,
      )
    }
    // Spread the characters of the flag evenly over the recording.
    const carriesFlag =
      Math.floor(((second + 1) * secret.length) / durationSeconds) > Math.floor((second * secret.length) / durationSeconds)
    const error = carriesFlag ? secret[Math.floor((second * secret.length) / durationSeconds)] : 0
    say(sounder, sentence(`SDDBT,${fixed(depth / 0.3048)},f,${fixed(depth)},M,${fixed(depth / 1.8288)},F`, error), 730)
  }
  return Buffer.concat(packets)
}

/** Returns the header of a classic pcap file: microseconds, little-endian, link type Ethernet. */
function fileHeader(): Buffer {
  const header = Buffer.alloc(24)
  header.writeUInt32LE(0xa1b2c3d4, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(65535, 16)
  header.writeUInt32LE(1, 20)
  return header
}

/** Returns one UDP broadcast to port 10110, as an IPv4 packet in an Ethernet frame in a pcap record. */
function packet(from: typeof sounder, text: string, seconds: number, microseconds: number): Buffer {
  const payload = Buffer.from(text, 'latin1')
  const frame = Buffer.alloc(42)
  frame.fill(0xff, 0, 6)
  frame.set([0x02, 0x00, 0x5e, 0x10, 0x00, from.address], 6)
  frame.writeUInt16BE(0x0800, 12)
  const ip = frame.subarray(14, 34)
  ip.set([0x45, 0])
  ip.writeUInt16BE(28 + payload.length, 2)
  ip.set([64, 17], 8)
  ip.set([10, 20, 0, from.address, 10, 20, 0, 255], 12)
  let sum = 0
  for (let at = 0; at < ip.length; at += 2) sum += ip.readUInt16BE(at)
  ip.writeUInt16BE(~((sum & 0xffff) + (sum >> 16)) & 0xffff, 10)
  frame.writeUInt16BE(from.port, 34)
  frame.writeUInt16BE(10110, 36)
  frame.writeUInt16BE(8 + payload.length, 38)

  const record = Buffer.alloc(16)
  const size = frame.length + payload.length
  record.writeUInt32LE(seconds, 0)
  record.writeUInt32LE(microseconds, 4)
  record.writeUInt32LE(size, 8)
  record.writeUInt32LE(size, 12)
  return Buffer.concat([record, frame, payload])
}

if (import.meta.main) writeFileSync(process.env.OUTPUT ?? '', makeAttachment(process.env.FLAG ?? ''))
