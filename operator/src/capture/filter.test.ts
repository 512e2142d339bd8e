import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

/** Name of a program that these tests need but this machine lacks. The image of the recorder contains all programs. */
const missing = ['tcpdump', 'python3'].find((program) => spawnSync(program, ['--version']).error !== undefined)

const folder = path.join(import.meta.dirname, '..', '..', 'capture')
const [own, collector, player] = ['10.244.0.7', '10.244.0.3', '198.51.100.9'] as const
const port = 19_100

/** Returns the filter that the recorder passes to tcpdump. */
function filter(challengePorts: readonly number[]): string {
  const call = `capture.recorded_traffic('${own}', ${port}, [${challengePorts}])`
  const program = `import sys; sys.path.insert(0, sys.argv[1]); import capture; print(${call})`
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
  return execFileSync('python3', ['-S', '-c', program, folder], { encoding: 'utf8', env }).trim()
}

type Packet = Readonly<{
  from: readonly [string, number]
  to: readonly [string, number]
  protocol?: 'tcp' | 'udp'
}>

/** Returns an Ethernet frame with an IPv4 header and the start of a TCP or UDP header. */
function frameOf({ from, to, protocol = 'tcp' }: Packet): Buffer {
  const frame = Buffer.alloc(14 + 20 + 20)
  frame.writeUInt16BE(0x0800, 12)
  const ip = frame.subarray(14)
  ip.writeUInt8(0x45, 0)
  ip.writeUInt16BE(40, 2)
  ip.writeUInt8(64, 8)
  ip.writeUInt8(protocol === 'tcp' ? 6 : 17, 9)
  for (const [at, [host]] of [
    [12, from],
    [16, to],
  ] as const)
    ip.set(host.split('.').map(Number), at)
  ip.writeUInt16BE(from[1], 20)
  ip.writeUInt16BE(to[1], 22)
  ip.writeUInt8(0x50, 32)
  return frame
}

/** Returns a pcap file with one Ethernet frame per packet. */
function pcapOf(packets: readonly Packet[]): Buffer {
  const header = Buffer.alloc(24)
  header.writeUInt32LE(0xa1b2c3d4, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(65_535, 16)
  header.writeUInt32LE(1, 20)
  const records = packets.map(frameOf).map((frame) => {
    const record = Buffer.alloc(16)
    record.writeUInt32LE(frame.length, 8)
    record.writeUInt32LE(frame.length, 12)
    return Buffer.concat([record, frame])
  })
  return Buffer.concat([header, ...records])
}

function isRecorded(packet: Packet, challengePorts: readonly number[] = []): boolean {
  const command = ['-r', '-', '-w', '-', filter(challengePorts)]
  const { status, stdout } = spawnSync('tcpdump', command, { input: pcapOf([packet]) })
  expect(status).toBe(0)
  return stdout.length > 24
}

describe.skipIf(missing)(`the packet filter of the recorder${missing ? ` (needs ${missing})` : ''}`, () => {
  it.each<[string, Packet]>([
    ['requests of the collector', { from: [collector, 40_000], to: [own, port] }],
    ['the answers to them', { from: [own, port], to: [collector, 40_000] }],
  ])('drops %s', (_what, packet) => {
    expect(isRecorded(packet)).toBe(false)
  })

  it.each<[string, Packet]>([
    ['a player’s connection', { from: [player, 50_000], to: [own, 1337] }],
    ['a connection from that very port', { from: [player, port], to: [own, 1337] }],
    ['the answer to it', { from: [own, 1337], to: [player, port] }],
    ['a connection of the challenge to that port of another host', { from: [own, 50_000], to: [player, port] }],
    ['the answer from there', { from: [player, port], to: [own, 50_000] }],
    ['a datagram to that port', { from: [player, 50_000], to: [own, port], protocol: 'udp' }],
    ['a datagram from that port', { from: [own, port], to: [player, 50_000], protocol: 'udp' }],
  ])('records %s', (_what, packet) => {
    expect(isRecorded(packet)).toBe(true)
  })
})

describe.skipIf(missing)('the recorder’s filter for published ports', () => {
  it.each<[string, Packet, boolean]>([
    ['a connection to a published port', { from: [player, 50_000], to: [own, 80] }, true],
    ['the answer to it', { from: [own, 8080], to: [player, 50_000] }, true],
    ['a connection to another port', { from: [player, 50_000], to: [own, 5432] }, false],
    ['a connection of the challenge to such a port of another host', { from: [own, 50_000], to: [player, 80] }, false],
    ['a datagram to a published port', { from: [player, 50_000], to: [own, 80], protocol: 'udp' }, false],
    ['a request of the collector', { from: [collector, 50_000], to: [own, port] }, false],
  ])('records only TCP connections to these ports: %s', (_what, packet, expected) => {
    expect(isRecorded(packet, [80, 8080, port])).toBe(expected)
  })
})

describe.skipIf(missing)('sockets that belong to the challenge', () => {
  const heading = '  sl  local_address rem_address   st'
  const table = (...rows: [string, string][]) =>
    [heading, ...rows.map(([local, state], at) => `   ${at}: ${local} 00000000:0000 ${state} 00000000:00000000`)].join('\n')
  const hasOthers = (files: Record<string, string>): boolean => {
    const net = mkdtempSync(path.join(tmpdir(), 'capstan-net-'))
    onTestFinished(() => rmSync(net, { recursive: true }))
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(net, name), `${text}\n`)
    const program = `import sys; sys.path.insert(0, sys.argv[1]); import capture; print(capture.has_other_sockets(${port}, sys.argv[2]))`
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
    return execFileSync('python3', ['-S', '-c', program, folder, net], { encoding: 'utf8', env }).trim() === 'True'
  }
  const ownPort = `0700F40A:${port.toString(16).toUpperCase()}`

  it.each<[string, Record<string, string>, boolean]>([
    ['there are no sockets', {}, false],
    ['the recorder alone listens', { tcp: table(['00000000:4A9C', '0A'], [ownPort, '01']) }, false],
    ['the challenge listens', { tcp: table(['00000000:4A9C', '0A'], ['00000000:0539', '0A']) }, true],
    ['the challenge listens by IPv6', { tcp6: table(['00000000000000000000000000000000:0539', '0A']) }, true],
    ['a player is connected', { tcp: table(['0700F40A:0539', '01']) }, true],
    ['the challenge has not closed yet', { tcp: table(['0700F40A:0539', '08']) }, true],
    ['closed connections are remembered', { tcp: table(['0700F40A:0539', '06'], ['0700F40A:0540', '04']) }, false],
    ['the challenge has a UDP socket', { udp: table(['00000000:0035', '07']) }, true],
  ])('are distinguished from the recorder’s own sockets: %s', (_name, files, expected) => {
    expect(hasOthers(files)).toBe(expected)
  })
})
