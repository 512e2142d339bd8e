import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Recorded range of the payload that one side of a TCP connection sent. */
type Stretch = Readonly<{
  /** Offset of the first byte, relative to the first sequence number. */
  start: number
  end: number
}>

type TcpSegment = Readonly<{
  source: number
  destination: number
  sequence: number
  payload: Buffer
}>

function* framesOf(file: Buffer): Generator<Buffer> {
  for (let at = 24; at < file.length; ) {
    const length = file.readUInt32LE(at + 8)
    yield file.subarray(at + 16, at + 16 + length)
    at += 16 + length
  }
}

/**
 * Parses an Ethernet frame with IPv4 and TCP.
 * @returns undefined for any other frame
 */
function readTcp(frame: Buffer): TcpSegment | undefined {
  const isIpv4 = frame.length >= 34 && frame.readUInt16BE(12) === 0x0800
  if (!isIpv4 || frame.readUInt8(23) !== 6) return undefined
  const tcp = 14 + (frame.readUInt8(14) & 0x0f) * 4
  const payload = tcp + (frame.readUInt8(tcp + 12) >> 4) * 4
  // Use the length in the IP header, because Ethernet pads short frames.
  return {
    source: frame.readUInt16BE(tcp),
    destination: frame.readUInt16BE(tcp + 2),
    sequence: frame.readUInt32BE(tcp + 4),
    payload: frame.subarray(payload, 14 + frame.readUInt16BE(16)),
  }
}

function coveredBytes(stretches: readonly Stretch[]): number {
  let total = 0
  let coveredTo = Number.NEGATIVE_INFINITY
  for (const { start, end } of [...stretches].sort((a, b) => a.start - b.start)) {
    total += Math.max(0, end - Math.max(start, coveredTo))
    coveredTo = Math.max(coveredTo, end)
  }
  return total
}

/** Returns the number of payload bytes from `port`, over all connections in the files. Retransmitted bytes count only once. */
export function countPayloadBytesFromPort(files: readonly Uint8Array[], port: number): number {
  const connections = new Map<number, { first: number; stretches: Stretch[] }>()
  for (const file of files) {
    for (const frame of framesOf(Buffer.from(file.buffer, file.byteOffset, file.byteLength))) {
      const segment = readTcp(frame)
      if (segment?.source !== port || segment.payload.length === 0) continue
      const { destination, sequence, payload } = segment
      const connection = connections.get(destination) ?? { first: sequence, stretches: [] }
      connections.set(destination, connection)
      // Use the shorter distance, because sequence numbers wrap at 2^32.
      const start = (sequence - connection.first) | 0
      connection.stretches.push({ start, end: start + payload.length })
    }
  }
  return [...connections.values()].reduce((sum, { stretches }) => sum + coveredBytes(stretches), 0)
}

export function countTextInFiles(files: readonly Uint8Array[], text: string): number {
  return files.reduce((sum, file) => sum + Buffer.from(file).toString('latin1').split(text).length - 1, 0)
}

/**
 * Reads every file with tcpdump and capinfos, which fail if a file is incomplete.
 * @returns the number of packets in all files, as capinfos reports it
 */
export async function checkCapturesWithTools(files: readonly Uint8Array[]): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-pcap-'))
  try {
    let packets = 0
    for (const [at, content] of files.entries()) {
      const file = path.join(folder, `${at}.pcap`)
      await writeFile(file, content)
      const { stderr } = await run('tcpdump', ['-n', '-r', file, '-w', '/dev/null'])
      if (!/reading from file .*EN10MB/.test(stderr) || /truncated/i.test(stderr)) throw new Error(`tcpdump says: ${stderr}`)
      const { stdout } = await run('capinfos', ['-T', '-r', '-c', '-E', file])
      const [, encapsulation, count] = stdout.trim().split('\t')
      if (encapsulation !== 'ether') throw new Error(`capinfos says: ${stdout}`)
      packets += Number(count)
    }
    return packets
  } finally {
    await rm(folder, { recursive: true })
  }
}
