import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { startLimitedServer } from '@capstan/http/testing/limited-server'
import { openRaw } from '@capstan/http/testing/raw-connection'
import { headWriter, writeAnswer } from '@capstan/http/written-answer'
import { afterEach, describe, expect, test } from 'vitest'
import { createHeldAnswers } from './held-answers.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const megabyte = 1024 * 1024
/** More than the system takes from a server for a client that does not read. */
const largeMb = 32

type Way = (response: ServerResponse, bytes: Buffer) => void

/** Answers with what a client asked for, of which 80 MB may be untaken. */
const start = async (way: 'by the framework' | 'past it') => {
  const held = createHeldAnswers(undefined, 80 * megabyte)
  const versions = new Map<string, Buffer>()
  const ways: Record<typeof way, Way> = {
    'by the framework': (response, bytes) => {
      held.hold(response, bytes)
      response.end(bytes)
    },
    'past it': (response, bytes) => {
      const head = headWriter(server)('200 OK', `content-length: ${bytes.length}\r\n`, new Date())
      writeAnswer(response, head, bytes, () => {})
      held.holdRest(response, bytes)
    },
  }
  const { server, close, port } = await startLimitedServer(({ url = '' }, response) => {
    const bytes = versions.get(url) ?? Buffer.alloc(Number(url.split('/')[2]) * megabyte, 'x')
    versions.set(url, bytes)
    ways[way](response, bytes)
  })
  cleanups.push(close)
  return {
    /** A client that asks and takes nothing until it is told to. @returns whether it was cut off, once it takes what is there */
    async ask(version: number, sizeMb: number) {
      const accepted = once(server, 'connection')
      const connection = await openRaw(port)
      connection.socket.pause()
      const [theirs] = await accepted
      const answered = once(server, 'request')
      connection.socket.write(`GET /${version}/${sizeMb} HTTP/1.1\r\nHost: x\r\n\r\n`)
      await answered
      return { isCut: () => theirs.destroyed as boolean, connection, sizeMb }
    },
  }
}

describe.each(['by the framework', 'past it'] as const)('answers that go out %s', (way) => {
  test('and that nobody takes are given up, the oldest first, when there are too many bytes of them', async () => {
    const { ask } = await start(way)
    const clients = [await ask(1, largeMb), await ask(2, largeMb), await ask(3, largeMb), await ask(4, largeMb)]
    await expect.poll(() => clients.map(({ isCut }) => isCut())).toEqual([true, true, false, false])
  })

  test('are given up for a small one only after the larger ones', async () => {
    const { ask } = await start(way)
    const small = await ask(1, 24)
    const large = [await ask(2, largeMb), await ask(3, largeMb), await ask(4, 24)]
    await expect.poll(() => large.map(({ isCut }) => isCut())).toEqual([true, false, false])
    expect(small.isCut()).toBe(false)
  })

  test('count once for all who wait for the same bytes, and no longer when these have them', async () => {
    const { ask } = await start(way)
    const waiting = [await ask(1, largeMb), await ask(1, largeMb), await ask(1, largeMb), await ask(2, largeMb)]
    for (const { connection } of waiting) connection.socket.resume()
    for (const { connection } of waiting)
      await expect.poll(() => connection.text().length, { timeout: 120_000 }).toBeGreaterThan(largeMb * megabyte)
    const later = [await ask(3, largeMb), await ask(4, largeMb)]
    expect([...waiting, ...later].map(({ isCut }) => isCut())).toEqual(Array(6).fill(false))
  })
})

test('the newest answer is never given up, however large it is', async () => {
  const { ask } = await start('past it')
  const clients = [await ask(1, largeMb), await ask(2, 90)]
  await expect.poll(() => clients.map(({ isCut }) => isCut())).toEqual([true, false])
})
