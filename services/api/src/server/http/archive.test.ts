import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { sendArchive } from './archive.ts'

test('if the client disconnects, the open file is closed, no further file is opened, and nothing is logged', async () => {
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } })
  const opened: Readable[] = []
  const open = async () => {
    const content = Readable.from(
      (function* () {
        for (;;) yield randomBytes(64 * 1024)
      })(),
    )
    opened.push(content)
    return content
  }
  const entry = { name: 'a.pcap', sizeBytes: 10 ** 12, modifiedAt: new Date(), open }
  app.get('/', async (_, reply) => sendArchive(reply, 'all', [entry, entry]))
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const asking = new AbortController()
  const answer = await fetch(address, { signal: asking.signal })
  expect(answer.status).toBe(200)
  asking.abort()
  await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true])
  await app.close()
  expect(lines).toEqual([])
})
