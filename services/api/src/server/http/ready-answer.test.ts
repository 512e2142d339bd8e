import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { headOfReadyResponse, ReadyAnswer } from './ready-answer.ts'

test('parts of a response that was created from bytes can be read even after the response was compressed', async () => {
  const answer = new ReadyAnswer(new TextEncoder().encode('{"rank":1}'))
  expect(String(gunzipSync(await answer.in('gzip')))).toBe('{"rank":1}')
  expect([answer.text(1, 7), String(await answer.in('identity'))]).toEqual(['"rank"', '{"rank":1}'])
})

test.each([
  ['small', '{"rank":1}'],
  ['large', `{"text":"${'capstan '.repeat(100_000)}"}`],
])('returns a %s response in every encoding after every other encoding', async (_size, text) => {
  const forms = { identity: String, gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
  const encodings = ['zstd', 'identity', 'br', 'gzip'] as const
  for (const first of encodings) {
    const answer = new ReadyAnswer(text)
    for (const encoding of [first, ...encodings]) expect(String(forms[encoding](await answer.in(encoding)))).toBe(text)
  }
})

test('a response retains only as much memory as its encoded bytes need', async () => {
  const answer = new ReadyAnswer('capstan '.repeat(1_000))
  for (const encoding of ['zstd', 'identity', 'gzip'] as const) {
    await answer.in(encoding)
    const encoded = await answer.in(encoding)
    expect(encoded.buffer.byteLength).toBe(encoded.length)
  }
})

test('only large responses are compressed', () => {
  const headOf = (bytes: number) => headOfReadyResponse({ 'accept-encoding': 'gzip' }, new ReadyAnswer('x'.repeat(bytes)))
  expect(headOf(1_023)).toMatchObject({ encoding: 'identity', headers: { vary: 'accept-encoding' } })
  expect(headOf(1_023).headers).not.toHaveProperty('content-encoding')
  expect(headOf(1_024)).toMatchObject({ encoding: 'gzip', headers: { 'content-encoding': 'gzip' } })
})
