import { PassThrough, Readable } from 'node:stream'
import { Limits } from '@capstan/contract/limits'
import { expect, test, vi } from 'vitest'
import { createArchiveReceiver } from './received-archive.ts'

function caught(work: Promise<unknown>): Promise<unknown> {
  return work.catch((problem: unknown) => problem)
}
const staying = new AbortController().signal
function whole(userId: string, signal = staying) {
  return { content: Readable.from([Buffer.from('archive')]), userId, signal }
}

test('an archive that does not arrive in time no longer counts as pending', async () => {
  const { receive } = createArchiveReceiver(1)
  const send = () => receive({ content: new PassThrough(), userId: 'slow', signal: staying }, async () => 'read')
  const slow = Array.from({ length: Limits.maxPendingImportsPerUser }, () => caught(send()))
  await expect(send()).rejects.toMatchObject({ code: 'request.rate-limited' })
  for (const each of slow) expect(await each).toMatchObject({ code: 'request.too-slow' })
  await expect(send()).rejects.toMatchObject({ code: 'request.too-slow' })
})

test('a slow upload does not block others', async () => {
  const { receive } = createArchiveReceiver()
  const contents = Array.from({ length: Limits.maxPendingImportsPerUser }, () => new PassThrough())
  const slow = contents.map((content) => receive({ content, userId: 'slow', signal: staying }, async () => 'late'))
  for (const content of contents) content.write('arch')
  for (let times = 0; times < Limits.maxPendingImports; times++)
    expect(await receive(whole('quick'), async () => times)).toBe(times)
  for (const content of contents) content.end('ive')
  expect(await Promise.all(slow)).toEqual(contents.map(() => 'late'))
})

test('queues received archives, and refuses archives beyond the limit', async () => {
  const { receive } = createArchiveReceiver()
  const ends: (() => void)[] = []
  const order: number[] = []
  let [reading, most] = [0, 0]
  const send = (index: number) =>
    receive(whole(`user ${index}`), async () => {
      reading += 1
      most = Math.max(most, reading)
      order.push(index)
      await new Promise<void>((resolve) => ends.push(resolve))
      reading -= 1
      return index
    })
  const pending = Array.from({ length: Limits.maxPendingImports }, (_, index) => send(index))
  await expect(send(-1)).rejects.toMatchObject({ code: 'request.rate-limited' })
  for (const index of pending.keys()) {
    await vi.waitFor(() => expect(ends.length).toBeGreaterThan(index), { timeout: 120_000 })
    ends[index]?.()
  }
  expect((await Promise.all(pending)).toSorted()).toEqual([...pending.keys()])
  expect([order.length, most]).toEqual([pending.length, Limits.maxConcurrentImports])
  // At this point no archive is pending.
  expect(await receive(whole('next'), async () => 'read')).toBe('read')
})

test('an archive that cannot be read no longer counts as pending', async () => {
  const { receive } = createArchiveReceiver()
  const broken = () => receive(whole('somebody'), () => Promise.reject(new Error('broken')))
  for (let times = 0; times <= Limits.maxPendingImports; times++) await expect(broken()).rejects.toThrow('broken')
  expect(await receive(whole('somebody'), async () => 'read')).toBe('read')
})

/** Starts the maximum number of reads, which continue until `end` is called. Queues one upload that can be aborted. */
async function whileAllRead() {
  const { receive } = createArchiveReceiver()
  const going = Promise.withResolvers<void>()
  let reading = 0
  const readers = Array.from({ length: Limits.maxConcurrentImports }, (_, index) =>
    receive(whole(`reader ${index}`), async () => {
      reading += 1
      await going.promise
    }),
  )
  await vi.waitFor(() => expect(reading).toBe(Limits.maxConcurrentImports), { timeout: 120_000 })
  const leaving = new AbortController()
  const use = vi.fn(async () => 'read')
  const sent = whole('leaving', leaving.signal)
  const waiting = caught(receive(sent, use))
  const end = async () => {
    going.resolve()
    await Promise.all(readers)
  }
  const leave = () => leaving.abort(new Error('gone'))
  return { receive, waiting, use, leave, end, hasArrived: () => sent.content.readableEnded }
}

test('skips an upload that is aborted while it waits, and reads the next upload', async () => {
  const { receive, waiting, use, leave, end, hasArrived } = await whileAllRead()
  await vi.waitFor(() => expect(hasArrived()).toBe(true), { timeout: 120_000 })
  const next = receive(whole('next'), async () => 'read')
  leave()
  expect(await waiting).toMatchObject({ message: 'gone' })
  await end()
  expect(await next).toBe('read')
  expect(use).not.toHaveBeenCalled()
})

test('does not read an upload that is aborted before it has arrived, or at the moment at which its read begins', async () => {
  const early = await whileAllRead()
  early.leave()
  expect(await early.waiting).toMatchObject({ message: 'gone' })
  await early.end()
  const { receive } = createArchiveReceiver()
  const use = vi.fn(async () => 'read')
  for (let times = 0; times <= Limits.maxPendingImports; times++)
    expect(await caught(receive(whole('gone', AbortSignal.abort(new Error('gone'))), use))).toMatchObject({ message: 'gone' })
  expect(await receive(whole('next'), async () => 'next')).toBe('next')
  expect([early.use, use].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
})
