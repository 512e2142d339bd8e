import { expect, test } from 'vitest'
import { joinTextsIntoChunks } from './text-chunks.ts'

test('joins short texts, and starts a new chunk after 32 Ki characters', async () => {
  const row = 'é'.repeat(1_000)
  const chunks = await Array.fromAsync(joinTextsIntoChunks(Array.from({ length: 40 }, () => row)))
  expect(chunks.map((chunk) => chunk.toString().length)).toEqual([33_000, 7_000])
  expect(Buffer.concat(chunks).toString()).toBe(row.repeat(40))
})

test('other events run between two chunks', async () => {
  const seen: string[] = []
  setImmediate(() => seen.push('event'))
  for await (const chunk of joinTextsIntoChunks(['a'.repeat(40_000), 'b'])) seen.push(chunk.toString().slice(0, 1))
  expect(seen).toEqual(['a', 'event', 'b'])
})

test('a stream of texts fails if its source throws an error', async () => {
  const texts = async function* () {
    yield 'a'
    throw new Error('The row cannot be read')
  }
  await expect(Array.fromAsync(joinTextsIntoChunks(texts()))).rejects.toThrow('The row cannot be read')
})
