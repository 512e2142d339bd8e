import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { joinSmallPieces } from '@capstan/http/join-pieces'
import { createSlowSide } from '@capstan/http/testing/slow-side'
import { expect, it, vi } from 'vitest'
import { quietLog } from '../testing/test-gateway.ts'
import { Tunnel } from './tunnel.ts'

const waiting = { timeout: 120_000, interval: 5 }

/** Returns a frame of a client, with the mask 0. */
function clientFrame(first: number, payload: readonly number[]): Buffer {
  return Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0, ...payload])
}

/** Returns the joined payloads of frames to a client. */
function joinPayloads(frames: Buffer): Buffer {
  const payloads: Buffer[] = []
  for (let at = 0; at < frames.length; ) {
    const short = frames[at + 1] ?? 0
    const [start, length] = short === 126 ? [at + 4, frames.readUInt16BE(at + 2)] : [at + 2, short]
    payloads.push(frames.subarray(start, start + length))
    at = start + length
  }
  return Buffer.concat(payloads)
}

function startTunnel() {
  const [client, container] = [createSlowSide(), createSlowSide()]
  joinSmallPieces(client.side)
  new Tunnel({
    ...{ client: client.side, head: Buffer.alloc(0), container: container.side as Socket, log: quietLog },
    ...{ timings: { closeMs: 60_000, endMs: 60_000, lingerMs: 60_000 }, onBytes() {}, onEnd() {} },
  })
  return { client, container }
}

it.each(['client', 'container'] as const)(
  'bytes that the %s sends one by one wait as few pieces if the other side does not read',
  async (sender) => {
    const sides = startTunnel()
    const [from, to] = sender === 'client' ? [sides.client, sides.container] : [sides.container, sides.client]
    const sent = Array.from({ length: 20_000 }, (_, index) => index % 241)
    for (const [index, byte] of sent.entries()) {
      from.side.push(sender === 'client' ? clientFrame(0x82, [byte]) : Buffer.of(byte))
      if (index % 100 === 0) await nextTurn()
    }
    expect(to.side.writableLength).toBeLessThan(1_000)
    const look = () => {
      to.take()
      const received = Buffer.concat(to.pieces)
      expect(sender === 'client' ? received : joinPayloads(received)).toEqual(Buffer.from(sent))
    }
    await vi.waitFor(look, waiting)
    expect(to.pieces.length).toBeLessThan(200)
  },
)

it('sends at most one pong while the client does not read', async () => {
  const { client } = startTunnel()
  for (let index = 0; index < 1_000; index += 1) {
    client.side.push(clientFrame(0x89, [index % 200]))
    await nextTurn()
  }
  expect(client.side.writableLength).toBeLessThan(10)
  const look = () => {
    client.take()
    expect(client.pieces.at(-1)).toEqual(Buffer.from([0x8a, 1, 999 % 200]))
  }
  await vi.waitFor(look, waiting)
  expect(client.pieces).toHaveLength(2)
})
