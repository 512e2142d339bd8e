import { connect, type Socket } from 'node:net'
import { machineNowMs } from './measure.ts'

export type ClientCommand =
  | Readonly<{ kind: 'connect'; name: string; port: number; path: string; count: number }>
  /**
   * Makes the process report `ready` at once. The process reports `complete` when each client of the group `name` has received
   * `bytes` further bytes.
   */
  | Readonly<{ kind: 'expect'; name: string; bytes: number }>

export type ClientReport = { readonly kind: 'ready' } | Readonly<{ kind: 'complete'; atMs: number }>

interface Group {
  readonly sockets: Socket[]
  expected: number
  received: Uint32Array
  complete: number
}

const groups = new Map<string, Group>()
const handshake = Buffer.from('{"protocol":"json","version":1}\x1e')
/** The mask is zero, so the payload remains unchanged. */
const handshakeFrame = Buffer.concat([Buffer.from([0x81, 0x80 | handshake.length, 0, 0, 0, 0]), handshake])

function report(message: ClientReport): void {
  process.send?.(message)
}

function open(port: number, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.once('error', reject)
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    socket.on('data', function read(bytes: Buffer) {
      text += bytes.toString('latin1')
      if (text.endsWith('\r\n\r\n')) socket.write(handshakeFrame)
      if (!text.endsWith('{}\x1e')) return
      socket.off('data', read)
      resolve(socket)
    })
  })
}

async function connectGroup(name: string, port: number, path: string, count: number): Promise<void> {
  const group: Group = { sockets: [], expected: 0, received: new Uint32Array(count), complete: 0 }
  groups.set(name, group)
  while (group.sockets.length < count) {
    const batch = Math.min(100, count - group.sockets.length)
    group.sockets.push(...(await Promise.all(Array.from({ length: batch }, () => open(port, path)))))
  }
  for (const [index, socket] of group.sockets.entries()) socket.on('data', (bytes: Buffer) => take(group, index, bytes.length))
}

function take(group: Group, index: number, bytes: number): void {
  const total = (group.received[index] ?? 0) + bytes
  group.received[index] = total
  if (total < group.expected) return
  group.complete += 1
  if (group.complete === group.sockets.length) report({ kind: 'complete', atMs: machineNowMs() })
}

process.on('message', (command: ClientCommand) => {
  if (command.kind === 'connect') {
    void connectGroup(command.name, command.port, command.path, command.count).then(() => report({ kind: 'ready' }))
    return
  }
  const group = groups.get(command.name)
  if (!group) return
  group.expected = command.bytes
  group.received.fill(0)
  group.complete = 0
  report({ kind: 'ready' })
})
process.on('disconnect', () => process.exit(0))
