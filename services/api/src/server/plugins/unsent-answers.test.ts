import { once } from 'node:events'
import { openRawConnection } from '@capstan/http/testing/raw-connection'
import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { compressionPlugin } from './compression.ts'
import { unsentAnswersPlugin } from './unsent-answers.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const megabyte = 1024 * 1024
const text = 'x'.repeat(32 * megabyte)

/** Starts an app that limits unsent bytes to 80 MB. Each of its responses has 32 MB before the compression. */
async function start() {
  const app = Fastify()
  await app.register(compressionPlugin)
  await app.register(unsentAnswersPlugin, { maxBytes: 80 * megabyte })
  app.get('/object', async () => ({ text }))
  app.get('/text', async (_request, reply) => reply.type('application/json').send(JSON.stringify(text)))
  app.get('/bytes', async (_request, reply) => reply.type('application/pdf').send(new Uint8Array(text.length)))
  app.get('/refused', async (_request, reply) => reply.status(400).send({ text }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  cleanups.push(() => app.close())
  const { port } = app.server.address() as { port: number }
  return {
    /** Opens a connection that sends a request and reads nothing. `isCut` returns true after the server ended the connection. */
    async ask(path: string, encoding = 'identity') {
      const accepted = once(app.server, 'connection')
      const { socket } = await openRawConnection(port)
      cleanups.unshift(async () => socket.destroy())
      socket.pause()
      const [theirs] = await accepted
      const asked = once(app.server, 'request')
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${encoding}\r\n\r\n`)
      const [, response] = await asked
      await expect.poll(() => response.writableEnded as boolean).toBe(true)
      return { isCut: () => theirs.destroyed as boolean }
    },
  }
}

test.each(['/object', '/text', '/bytes', '/refused'])('slow clients of %s are disconnected above the limit', async (path) => {
  const { ask } = await start()
  const clients = [await ask(path), await ask(path), await ask(path)]
  await expect.poll(() => clients.map(({ isCut }) => isCut())).toEqual([true, false, false])
})

test('a response counts with its compressed size', async () => {
  const { ask } = await start()
  const clients = [await ask('/object', 'gzip'), await ask('/object', 'gzip'), await ask('/object', 'gzip'), await ask('/object')]
  expect(clients.map(({ isCut }) => isCut())).toEqual([false, false, false, false])
})
