import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ReadyAnswer, readyHead } from './ready-answer.ts'

const inSharedMemory = (text: string): Uint8Array<SharedArrayBuffer> => {
  const bytes = Buffer.from(text)
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}

test('shared memory comes back, what was sent of it stays as it was, and the answer has ended', async () => {
  const bytes = inSharedMemory('{"rank":1}')
  const answer = new ReadyAnswer(bytes)
  expect(answer.text(1, 7)).toBe('"rank"')
  const [plain, compressed] = [await answer.in('identity'), await answer.in('gzip')]
  expect(answer.takeBack()).toBe(bytes.buffer)
  bytes.fill(0)
  expect(String(plain)).toBe('{"rank":1}')
  expect(String(gunzipSync(compressed))).toBe('{"rank":1}')
  expect(() => answer.text(0, 1)).toThrow('taken back')
  expect(() => answer.in('br')).toThrow('taken back')
  expect(answer.takeBack()).toBeUndefined()
})

test('shared memory that is being compressed does not come back', async () => {
  const text = 'capstan '.repeat(100_000)
  const answer = new ReadyAnswer(inSharedMemory(text))
  const compressed = answer.in('gzip')
  expect(compressed).toBeInstanceOf(Promise)
  expect(answer.takeBack()).toBeUndefined()
  expect(String(gunzipSync(await compressed))).toBe(text)
})

test.each([
  ['small', '{"rank":1}'],
  ['large', `{"text":"${'capstan '.repeat(100_000)}"}`],
])('of a %s answer every form can be made, whichever was asked for before', async (_size, text) => {
  const forms = { identity: String, gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
  const encodings = ['zstd', 'identity', 'br', 'gzip'] as const
  for (const first of encodings) {
    const answer = new ReadyAnswer(text)
    for (const encoding of [first, ...encodings]) expect(String(forms[encoding](await answer.in(encoding)))).toBe(text)
  }
})

test('a kept form holds no more memory than its bytes', async () => {
  const answer = new ReadyAnswer('capstan '.repeat(1_000))
  for (const encoding of ['zstd', 'identity', 'gzip'] as const) {
    await answer.in(encoding)
    const kept = await answer.in(encoding)
    expect(kept.buffer.byteLength).toBe(kept.length)
  }
})

test('memory that nobody shares does not come back', () => {
  expect(new ReadyAnswer('{}').takeBack()).toBeUndefined()
})

test('a small answer goes as it is, a larger one compressed', () => {
  const headOf = (bytes: number) => readyHead({ 'accept-encoding': 'gzip' }, new ReadyAnswer('x'.repeat(bytes)))
  expect(headOf(1_023)).toMatchObject({ encoding: 'identity', headers: { vary: 'accept-encoding' } })
  expect(headOf(1_023).headers).not.toHaveProperty('content-encoding')
  expect(headOf(1_024)).toMatchObject({ encoding: 'gzip', headers: { 'content-encoding': 'gzip' } })
})
