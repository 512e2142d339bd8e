import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { quietLog } from '../testing/test-gateway.ts'
import { readTlsClientHello } from './server-name.ts'

const waiting = { timeout: 120_000, interval: 5 }

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

it('retains few of the pieces of a ClientHello that arrives byte by byte', async () => {
  const socket = new Duplex({ read() {}, write: (_piece, _encoding, done) => done() })
  onTestFinished(() => void socket.destroy())
  const hello = readTlsClientHello(socket as Socket, createSecureContext(), quietLog)
  // Head of a TLS record and of a ClientHello, both of 16,000 bytes
  socket.push(Buffer.from([22, 3, 1, 0x3e, 0x80, 1, 0, 0x3e, 0x7c, 3, 3]))
  const pieces: WeakRef<Buffer>[] = []
  for (let count = 0; count < 2_000; count += 1) {
    const piece = Buffer.alloc(1)
    pieces.push(new WeakRef(piece))
    socket.push(piece)
    await nextTurn()
  }
  const countRetained = () => {
    collectGarbage()
    return pieces.filter((piece) => piece.deref() !== undefined).length
  }
  await vi.waitFor(() => expect(countRetained()).toBeLessThan(100), waiting)
  socket.push(null)
  expect(await hello).toBeUndefined()
})
