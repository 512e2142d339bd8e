import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { joinSmallPieces } from './join-pieces.ts'

function aResponse(): IncomingMessage {
  const answer = new IncomingMessage(new Socket())
  joinSmallPieces(answer)
  return answer
}

test('pieces of one byte that arrive together are buffered as few blocks', async () => {
  const answer = aResponse()
  const sent = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251))
  for (const byte of sent) answer.push(Buffer.of(byte))
  answer.push(null)
  const blocks: Buffer[] = []
  answer.on('data', (block: Buffer) => blocks.push(block))
  await once(answer, 'end')
  expect(blocks.map(({ length }) => length)).toEqual([4096, 4096, 1808])
  expect(Buffer.concat(blocks)).toEqual(sent)
})

test('a small piece that arrives alone is not copied', async () => {
  const answer = aResponse()
  const piece = Buffer.from('alone')
  const received = once(answer, 'data')
  answer.push(piece)
  expect((await received)[0]).toBe(piece)
})

test('small and large pieces retain their order, and a small piece is delivered even if no other piece follows', async () => {
  const answer = aResponse()
  const large = Buffer.alloc(100_000, 'L')
  const received: string[] = []
  answer.on('data', (bytes: Buffer) => received.push(bytes.toString()))
  answer.push(Buffer.from('first '))
  answer.push(large)
  answer.push(Buffer.from('second '))
  answer.push(Buffer.from('third'))
  await expect.poll(() => received.join('')).toBe(`first ${large}second third`)
})

test('a response stops reading from its source while the client reads slowly, and continues afterwards', async () => {
  const answer = aResponse()
  let wantsMore = true
  for (let sent = 0; wantsMore && sent < 1_000_000; sent += 1000) {
    wantsMore = answer.push(Buffer.alloc(1000, 'x'))
    await new Promise<void>((resolve) => process.nextTick(resolve))
  }
  expect(wantsMore).toBe(false)
  expect(answer.readableLength).toBeLessThan(2 * answer.readableHighWaterMark)
  answer.resume()
  await expect.poll(() => answer.readableLength).toBe(0)
  answer.push(Buffer.from('x'))
  await expect.poll(() => answer.push(Buffer.from('x'))).toBe(true)
})
