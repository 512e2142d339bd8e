import { PassThrough, Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Limits } from '@capstan/contract/limits'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compressionPlugin } from './compression.ts'

const app = Fastify()
const unfinished: PassThrough[] = []
const small = { text: 'x' }
const medium = { text: 'abc '.repeat(2_000) }
const large = { text: 'abc '.repeat(100_000) }
/** The first two bytes of the text look like a header of zlib (RFC 1950). */
const script = `x = 5\n${'print(x)\n'.repeat(500)}`
beforeAll(async () => {
  await app.register(compressionPlugin)
  app.get('/small', async () => small)
  app.get('/medium', async () => medium)
  app.get('/large', async () => large)
  app.get('/picture', async (_request, reply) => reply.type('image/webp').send(Buffer.alloc(10_000)))
  app.get('/ready', async (_request, reply) =>
    reply
      .type('application/json')
      .header('content-encoding', 'br')
      .send(Buffer.from('ready'.repeat(1_000))),
  )
  app.get('/file', async (_request, reply) =>
    reply
      .type('text/plain')
      .header('content-length', 8_000)
      .send(Readable.from(['line\n'.repeat(1_600)])),
  )
  app.get('/unfinished', async (_request, reply) => {
    const content = new PassThrough()
    unfinished.push(content)
    return reply.type('text/plain').send(content)
  })
  app.get('/script', async (_request, reply) => reply.type('text/plain').send(Readable.from([script])))
  app.get('/part', async (_request, reply) =>
    reply
      .status(206)
      .type('text/plain')
      .send(Readable.from(['line\n'.repeat(1_600)])),
  )
  app.get('/broken', async (_request, reply) =>
    reply.type('text/plain').send(
      new Readable({
        read() {
          this.destroy(new Error('The disk is away'))
        },
      }),
    ),
  )
  await app.ready()
})
afterAll(() => app.close())

function get(url: string, accepted?: string) {
  return app.inject({ url, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } })
}

test.each([
  ['zstd', zstdDecompressSync],
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('compresses responses of every size with %s, and they decompress to the same bytes', async (encoding, decompress) => {
  for (const [url, content] of [
    ['/medium', medium],
    ['/large', large],
  ] as const) {
    const response = await get(url, encoding)
    expect(response.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
    expect(response.headers['content-length']).toBe(String(response.rawPayload.length))
    expect(JSON.parse(decompress(response.rawPayload).toString())).toEqual(content)
  }
})

test.each([
  ['/small', 'gzip'],
  ['/picture', 'gzip'],
  ['/medium', undefined],
  ['/medium', 'identity'],
])('sends %s uncompressed if Accept-Encoding is %s', async (url, accepted) => {
  expect((await get(url, accepted)).headers['content-encoding']).toBeUndefined()
})

test.each([
  ['zstd', zstdDecompressSync],
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('compresses a streamed text file with %s', async (encoding, decompress) => {
  const response = await get('/file', encoding)
  expect([response.headers['content-encoding'], response.headers['content-length']]).toEqual([encoding, undefined])
  expect(decompress(response.rawPayload).toString()).toBe('line\n'.repeat(1_600))
})

test('sends a file uncompressed while the maximum number of streams is being compressed', async () => {
  const encodingOf = async (url: string) => (await get(url, 'br')).headers['content-encoding']
  const downloads = Array.from({ length: Limits.maxCompressedStreams }, () => encodingOf('/unfinished'))
  await expect.poll(() => encodingOf('/file')).toBeUndefined()
  const plain = await get('/file', 'br')
  expect([plain.headers['content-length'], plain.body]).toEqual(['8000', 'line\n'.repeat(1_600)])
  for (const content of unfinished) content.end('done')
  expect(await Promise.all(downloads)).toEqual(Array(Limits.maxCompressedStreams).fill('br'))
  await expect.poll(() => encodingOf('/file')).toBe('br')
})

test('compresses a text file even if it begins like compressed bytes', async () => {
  const response = await get('/script', 'br')
  expect([response.headers['content-encoding'], String(brotliDecompressSync(response.rawPayload))]).toEqual(['br', script])
})

test('sends Vary: Accept-Encoding even if the client accepts no compression', async () => {
  const responses = [await get('/medium'), await get('/file')]
  expect(responses.map(({ headers }) => headers.vary)).toEqual(['accept-encoding', 'accept-encoding'])
})

test('sends a byte range of a file uncompressed', async () => {
  const response = await get('/part', 'gzip')
  expect([response.headers['content-encoding'], response.body.length]).toEqual([undefined, 8_000])
})

test('answers a request for an unreadable file with an error instead of an empty file', async () => {
  expect((await get('/broken', 'gzip')).statusCode).toBe(500)
})

test('does not encode bytes that a route has already encoded', async () => {
  const response = await get('/ready', 'gzip')
  expect([response.headers['content-encoding'], response.body.length]).toEqual(['br', 5_000])
})
