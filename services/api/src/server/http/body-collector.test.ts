import { expect, test } from 'vitest'
import { BodyCollector } from './body-collector.ts'

test.each([
  ['no piece', []],
  ['an empty piece', [0]],
  ['many pieces of one byte', Array<number>(10_000).fill(1)],
  ['pieces as large as a block', [4_096, 4_096]],
  ['small pieces and pieces of several blocks', [1, 10_000, 3, 70_000, 4_095]],
])('collects the bytes of %s in order', (_what, sizes) => {
  const body = new BodyCollector()
  const pieces = sizes.map((size, index) => Buffer.alloc(size, index))
  for (const piece of pieces) body.add(piece)
  expect(body.length).toBe(pieces.reduce((total, { length }) => total + length, 0))
  expect(body.bytes().equals(Buffer.concat(pieces))).toBe(true)
})

test('the collected body contains copies of the pieces, so a caller may overwrite the pieces', () => {
  const body = new BodyCollector()
  const piece = Buffer.from('first')
  body.add(piece)
  piece.fill('x')
  expect(body.bytes().toString()).toBe('first')
})
