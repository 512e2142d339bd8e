import { Readable } from 'node:stream'
import { files } from '@capstan/db/schema/platform'
import { expect, test } from 'vitest'
import { createMemoryBlobStore, startTestApp } from '../../testing/app.ts'

test('answers HEAD for a file and does not read the file', async () => {
  const piece = Buffer.alloc(64 * 1024)
  const pieces = 1_000
  let read = 0
  const opened: Readable[] = []
  const get = async () => {
    const content = Readable.from(
      (function* () {
        for (; read < pieces; read += 1) yield piece
      })(),
    )
    opened.push(content)
    return content
  }
  const context = await startTestApp({ deps: { blobs: { ...createMemoryBlobStore(), get } } })
  const hash = 'a'.repeat(64)
  await context.db.insert(files).values({ hash, name: 'task.txt', sizeBytes: piece.length * pieces })
  const answer = await context.app.inject({ method: 'HEAD', url: `/assets/${hash}/task.txt` })
  expect([answer.statusCode, answer.headers['content-length'], answer.body]).toEqual([200, String(piece.length * pieces), ''])
  await expect.poll(() => opened.map(({ closed }) => closed)).toEqual([true])
  expect(read).toBeLessThan(pieces / 10)
  await context.close()
})
