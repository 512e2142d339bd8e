import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mergeStreamsByTime } from './merge.ts'
import { readPackets } from './packets.ts'
import { writePcapng } from './pcapng.ts'
import { aPcap, type PcapOptions } from './testing/pcap.ts'
import { readPcapng } from './testing/pcapng.ts'

/** Returns a stream that reads a file in chunks of `bytes` bytes. */
function inChunks(file: Buffer, bytes: number): Readable {
  const count = Math.ceil(file.length / bytes)
  return Readable.from(Array.from({ length: count }, (_, at) => file.subarray(at * bytes, (at + 1) * bytes)))
}

async function* packetsOf(files: readonly Buffer[], chunkBytes: number) {
  for (const file of files) yield* readPackets(inChunks(file, chunkBytes))
}

/** Merges the files of all containers into one pcapng file. */
function merged(files: Readonly<Record<string, readonly Buffer[]>>, chunkBytes = 1000): Promise<Buffer> {
  const sources = Object.values(files).map((each) => packetsOf(each, chunkBytes))
  return buffer(Readable.from(writePcapng(mergeStreamsByTime(sources), Object.keys(files))))
}

const times = fc.array(fc.bigInt({ min: 0n, max: 40n }), { maxLength: 12 }).map((list) => list.toSorted((a, b) => Number(a - b)))
const container = fc.record({
  times,
  /** Number of frames in each file of a container. An additional file contains the remaining frames. */
  sizes: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
  unit: fc.constantFrom('microseconds' as const, 'nanoseconds' as const),
  endian: fc.constantFrom('little' as const, 'big' as const),
})

type Frame = Readonly<{ time: bigint; text: string }>

function split(frames: readonly Frame[], sizes: readonly number[]): readonly (readonly Frame[])[] {
  const [size, ...others] = sizes
  return size === undefined ? [frames] : [frames.slice(0, size), ...split(frames.slice(size), others)]
}

function fileOf(frames: readonly Frame[], options: PcapOptions): Buffer {
  return aPcap(
    frames.map(({ text }) => text),
    { ...options, times: frames.map(({ time }) => time) },
  )
}

describe('the merged capture', () => {
  test('the merged capture has all packets sorted by time, each on the interface of its container', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(container, { maxLength: 5 }), fc.integer({ min: 1, max: 80 }), async (containers, chunkBytes) => {
        const start = 1_767_323_045n
        const planned = containers.map(({ times: offsets, sizes, unit, endian }, index) => {
          const perSecond = unit === 'microseconds' ? 1_000_000n : 1_000_000_000n
          const frames = offsets.map((offset, at) => ({ time: start * perSecond + offset, text: `${index}.${at}` }))
          const files = split(frames, sizes).map((part) => fileOf(part, { unit, endian }))
          const packets = frames.map(({ time, text }) => ({ time: (time * 1_000_000_000n) / perSecond, text, index }))
          return { name: `c${index}`, files, packets }
        })
        const written = readPcapng(await merged(Object.fromEntries(planned.map(({ name, files }) => [name, files])), chunkBytes))
        const all = planned.flatMap(({ packets }) => packets)
        // The sort is stable: packets with equal times remain in the order of their containers and within each container.
        const sorted = all.toSorted((one, other) => Number(one.time - other.time))
        expect(written).toEqual(
          sorted.map(({ time, text, index }) => ({
            ...{ interfaceName: `c${index}`, linkType: 1, time, text },
            wireBytes: text.length,
          })),
        )
      }),
      { numRuns: 300 },
    )
  })

  test('the merged capture is a valid file without packets if the files of the containers have no packets', async () => {
    expect(readPcapng(await merged({ db: [aPcap([])] }))).toEqual([])
  })

  test('a file that is not a capture cannot be merged', async () => {
    for (const content of ['<html>This is no capture at all</html>', 'short'])
      await expect(merged({ db: [Buffer.from(content)] })).rejects.toThrow(/pcap/)
  })

  test('if a reader of the merged capture stops early, the files of all containers are closed', async () => {
    const contents = [0, 1].map(() => inChunks(aPcap(['one', 'two', 'three']), 50))
    const file = Readable.from(writePcapng(mergeStreamsByTime(contents.map((content) => readPackets(content))), ['page', 'db']))
    for await (const _ of file) break
    expect(contents.map(({ destroyed }) => destroyed)).toEqual([true, true])
  })

  test('the merge opens a file only after the previous file of the container is read', async () => {
    const opened: number[] = []
    async function* watched() {
      for (const number of [1, 2]) {
        opened.push(number)
        yield* readPackets(inChunks(aPcap(['one', 'two']), 50))
      }
    }
    const packets = mergeStreamsByTime([watched()])
    await packets.next()
    await packets.next()
    expect(opened).toEqual([1])
    await packets.next()
    expect(opened).toEqual([1, 2])
    await packets.return(undefined)
  })

  test.skipIf(spawnSync('capinfos', ['--version']).error !== undefined)(
    'capinfos reads the merged capture as a pcapng file with named interfaces (skipped if capinfos is not installed)',
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'capstan-pcapng-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const file = path.join(folder, 'merged.pcapng')
      const times = [1_767_323_045_000_000n, 1_767_323_046_000_000n]
      writeFileSync(
        file,
        await merged({ page: [aPcap(['x'.repeat(60), 'y'.repeat(61)], { times })], db: [aPcap(['z'.repeat(62)])] }),
      )
      const { status, stdout } = spawnSync('capinfos', [file], { encoding: 'utf8' })
      expect(status).toBe(0)
      expect(stdout).toMatch(/File type: +Wireshark\/\.\.\. - pcapng/)
      expect(stdout).toMatch(/Number of packets: +3/)
      for (const text of ['Strict time order: +True', 'Name = page', 'Name = db', 'Encapsulation = Ethernet'])
        expect(stdout).toMatch(new RegExp(text))
    },
  )
})
