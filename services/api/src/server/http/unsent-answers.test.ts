import { once } from 'node:events'
import { startLimitedServer } from '@capstan/http/testing/limited-server'
import { openRawConnection } from '@capstan/http/testing/raw-connection'
import { afterEach, describe, expect, test } from 'vitest'
import { createUnsentResponseLimit } from './unsent-answers.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const megabyte = 1024 * 1024
/**
 * Size of a response in MB. The buffers of the operating system are smaller, so a client that does not read leaves a part unsent.
 */
const largeMb = 32

/** Starts a server that limits unsent bytes to 80 MB. */
async function start() {
  const answers = createUnsentResponseLimit(undefined, 80 * megabyte)
  const versions = new Map<string, Buffer>()
  const { server, close, port } = await startLimitedServer(({ url = '', headers }, response) => {
    const bytes = versions.get(url) ?? Buffer.alloc(Number(url.split('/')[2]) * megabyte, 'x')
    versions.set(url, bytes)
    answers.hold(response, bytes, () => String(headers.from))
    response.end(bytes)
  })
  cleanups.push(close)
  return {
    /** Opens a connection that sends a request and reads nothing. `isCut` returns true after the server ended the connection. */
    async ask(version: number, sizeMb: number, caller = 'campus') {
      const accepted = once(server, 'connection')
      const connection = await openRawConnection(port)
      connection.socket.pause()
      const [theirs] = await accepted
      const answered = once(server, 'request')
      connection.socket.write(`GET /${version}/${sizeMb} HTTP/1.1\r\nHost: x\r\nFrom: ${caller}\r\n\r\n`)
      await answered
      return { isCut: () => theirs.destroyed as boolean, connection, sizeMb }
    },
  }
}

describe('unread responses above the memory limit', () => {
  test('the oldest responses are dropped first if all are equally large', async () => {
    const { ask } = await start()
    const clients = [await ask(1, largeMb), await ask(2, largeMb), await ask(3, largeMb), await ask(4, largeMb)]
    await expect.poll(() => clients.map(({ isCut }) => isCut())).toEqual([true, true, false, false])
  })

  test('the largest responses are dropped first if the sizes differ', async () => {
    const { ask } = await start()
    const small = await ask(1, 24)
    const large = [await ask(2, largeMb), await ask(3, largeMb), await ask(4, 24)]
    await expect.poll(() => large.map(({ isCut }) => isCut())).toEqual([true, false, false])
    expect(small.isCut()).toBe(false)
  })

  test('the caller with the most bytes loses its responses first, even if another caller has a larger response', async () => {
    const { ask } = await start()
    const large = await ask(1, largeMb, 'visitor')
    const many = [await ask(2, 20, 'flood'), await ask(3, 20, 'flood'), await ask(4, 20, 'flood')]
    await expect.poll(() => many.map(({ isCut }) => isCut())).toEqual([true, false, false])
    expect(large.isCut()).toBe(false)
  })

  test('a response that clients of several callers share counts for none of these callers', async () => {
    const { ask } = await start()
    const shared = [await ask(1, 24, 'flood'), await ask(1, 24, 'visitor')]
    const own = [await ask(2, 20, 'flood'), await ask(3, 20, 'visitor'), await ask(4, 20, 'guest')]
    await expect.poll(() => shared.map(({ isCut }) => isCut())).toEqual([true, true])
    expect(own.map(({ isCut }) => isCut())).toEqual([false, false, false])
  })

  test('a response that several clients share counts only once toward the limit', async () => {
    const { ask } = await start()
    const waiting = [await ask(1, largeMb), await ask(1, largeMb), await ask(1, largeMb), await ask(2, largeMb)]
    for (const { connection } of waiting) connection.socket.resume()
    for (const { connection } of waiting)
      await expect.poll(() => connection.text().length, { timeout: 120_000 }).toBeGreaterThan(largeMb * megabyte)
    const later = [await ask(3, largeMb), await ask(4, largeMb)]
    expect([...waiting, ...later].map(({ isCut }) => isCut())).toEqual(Array(6).fill(false))
  })
})

test('the newest unread response is never dropped, even if it is larger than the limit', async () => {
  const { ask } = await start()
  const clients = [await ask(1, largeMb), await ask(2, 90)]
  await expect.poll(() => clients.map(({ isCut }) => isCut())).toEqual([true, false])
})
