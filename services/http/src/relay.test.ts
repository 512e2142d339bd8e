import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { joinSmallPieces } from './join-pieces.ts'
import { Relay } from './relay.ts'
import { createSlowSide } from './testing/slow-side.ts'

const waiting = { timeout: 120_000, interval: 5 }

it.each(['client', 'container'] as const)(
  'bytes that the %s sends one by one wait as few pieces if the other side does not read',
  async (sender) => {
    const [client, container] = [createSlowSide(), createSlowSide()]
    joinSmallPieces(client.side)
    new Relay({
      ...{ client: client.side, container: container.side as Socket, log: undefined },
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
