import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { PcapFilter } from './pcap.ts'
import { aPcap } from './testing/pcap.ts'

async function pass(file: Buffer, { chunkBytes = file.length || 1, maxBytes = 1_000_000 } = {}) {
  const chunks = Array.from({ length: Math.ceil(file.length / chunkBytes) }, (_, at) =>
    file.subarray(at * chunkBytes, (at + 1) * chunkBytes),
  )
  const filter = new PcapFilter({ maxBytes })
  const out = await buffer(Readable.from(chunks).compose(filter))
  return { out, ...filter.count }
}

test.each([1, 7, 24, 1000])('a complete file passes the filter unchanged, in chunks of %d bytes', async (chunkBytes) => {
  const file = aPcap(['one', 'another frame'])
  // The file header has 24 bytes. The file has two frames, each with a header of 16 bytes and a content of 3 or 13 bytes.
  expect(await pass(file, { chunkBytes })).toEqual({ out: file, bytes: 72, packets: 2 })
})

test.each([1, 16, 20])('the filter drops the last frame of a file if %d bytes of this frame are missing', async (missing) => {
  const file = aPcap(['one', 'another frame'])
  expect(await pass(file.subarray(0, file.length - missing))).toEqual({ out: aPcap(['one']), bytes: 43, packets: 1 })
})

test('counts no packets in a file that has only a header', async () => {
  expect(await pass(aPcap([]))).toEqual({ out: aPcap([]), bytes: 24, packets: 0 })
})

test.each([0, 20])('the filter returns an empty file if only %d bytes of the header are present', async (bytes) => {
  expect(await pass(aPcap([]).subarray(0, bytes))).toEqual({ out: Buffer.alloc(0), bytes: 0, packets: 0 })
})

test.each([1, 1000])('the filter reads a file from a big-endian machine in chunks of %d bytes', async (chunkBytes) => {
  const file = aPcap(['one', 'another frame'], { endian: 'big' })
  expect(await pass(file, { chunkBytes })).toEqual({ out: file, bytes: 72, packets: 2 })
  expect(await pass(file.subarray(0, -1), { chunkBytes })).toEqual({
    out: aPcap(['one'], { endian: 'big' }),
    bytes: 43,
    packets: 1,
  })
})

test.each([
  ['a file that is not a capture', Buffer.from('<html>This is no capture at all</html>'), 1_000_000],
  ['a frame of a gigabyte', Buffer.concat([aPcap([]), Buffer.alloc(8), Buffer.from([0, 0, 0, 64, 0, 0, 0, 64])]), 1_000_000],
  ['a file that exceeds its announced size', aPcap(['one', 'another frame']), 71],
])('refuses %s', async (_what, file, maxBytes) => {
  await expect(pass(file, { maxBytes })).rejects.toThrow(/capture/)
})

test('the filter accepts a frame of maximum size in chunks of one byte, and copies its bytes only once', async () => {
  const file = aPcap(['x'.repeat(262_144)])
  expect(await pass(file, { chunkBytes: 1 })).toEqual({ out: file, bytes: file.length, packets: 1 })
})
