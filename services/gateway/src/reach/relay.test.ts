import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { quietLog } from '../testing/test-gateway.ts'
import { joinSmallPieces } from './join-pieces.ts'
import { Relay } from './relay.ts'

const waiting = { timeout: 120_000, interval: 5 }

/** Returns a side of a relay that takes a piece only after a call of `take`. */
function aSlowSide() {
  const pieces: Buffer[] = []
  const waitingWrites: (() => void)[] = []
  const side = new Duplex({
    allowHalfOpen: true,
    read() {},
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece)
      waitingWrites.push(done)
    },
  })
  onTestFinished(() => void side.destroy())
  return { side, pieces, take: () => waitingWrites.shift()?.() }
}

it.each(['client', 'container'] as const)(
  'bytes that the %s sends one by one wait as few pieces if the other side does not read',
  async (sender) => {
    const [client, container] = [aSlowSide(), aSlowSide()]
    joinSmallPieces(client.side)
    new Relay({
      ...{ client: client.side, container: container.side as Socket, log: quietLog },
      ...{ timings: { closeMs: 60_000, stalledMs: 60_000 }, onStalled() {}, onBytes() {}, onEnd() {} },
    })
    const [from, to] = sender === 'client' ? [client, container] : [container, client]
    const sent = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 241))
    for (const [index, byte] of sent.entries()) {
      from.side.push(Buffer.of(byte))
      if (index % 100 === 0) await nextTurn()
    }
    expect(to.side.writableLength).toBeLessThan(200)
    const look = () => {
      to.take()
      expect(Buffer.concat(to.pieces)).toEqual(sent)
    }
    await vi.waitFor(look, waiting)
    expect(to.pieces.length).toBeLessThan(50)
  },
)
