import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createOutputBuffer } from './output-buffer.ts'

const never = new AbortController().signal

function written(...pieces: string[]) {
  const output = createOutputBuffer()
  const write = output.source()
  for (const piece of pieces) write(Buffer.from(piece))
  return { output, write: (piece: string) => write(Buffer.from(piece)) }
}

describe('the last lines', () => {
  test.each([
    [0, ''],
    [1, 'c\n'],
    [2, 'b\nc\n'],
    [3, 'a\nb\nc\n'],
    [9, 'a\nb\nc\n'],
  ])('returns the last lines if a reader requests %s lines of an output with three lines', async (tailLines, expected) => {
    const { output } = written('a\nb', '\nc\n')
    expect(await text(output.open({ tailLines, follow: false, signal: never }))).toBe(expected)
  })

  test('the last lines include empty lines and an unfinished line', async () => {
    const { output } = written('a\n\nb')
    expect(await text(output.open({ tailLines: 2, follow: false, signal: never }))).toBe('\nb')
  })
})

test('a follower reads new output until the program ends, and later readers read the complete output', async () => {
  const { output, write } = written('before\n')
  const reading = text(output.open({ tailLines: 10, follow: true, signal: never }))
  write('after\n')
  output.end()
  expect(await reading).toBe('before\nafter\n')
  expect(await text(output.open({ tailLines: 10, follow: true, signal: never }))).toBe('before\nafter\n')
})

test('drops the oldest output above the maximum size', async () => {
  const line = `${'x'.repeat(1023)}\n`
  const { output } = written(...Array.from({ length: 1_000 }, () => line))
  expect(await text(output.open({ tailLines: 1_000, follow: false, signal: never }))).toBe(line.repeat(256))
})

test('a follower is disconnected if it does not read, or if its signal aborts', async () => {
  const { output, write } = written()
  const leaving = new AbortController()
  const slow = output.open({ tailLines: 1, follow: true, signal: never })
  const left = output.open({ tailLines: 1, follow: true, signal: leaving.signal })
  left.once('error', () => {})
  leaving.abort()
  for (let count = 0; count < 40; count += 1) write(`${'x'.repeat(1023)}\n`.repeat(64))
  await expect.poll(() => slow.destroyed && left.destroyed).toBe(true)
})
