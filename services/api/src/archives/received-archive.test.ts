import { PassThrough, Readable } from 'node:stream'
import { Limits } from '@capstan/contract/limits'
import { expect, test, vi } from 'vitest'
import { createArchiveReceiver } from './received-archive.ts'

const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((problem: unknown) => problem)
const whole = (userId: string) => ({ content: Readable.from([Buffer.from('archive')]), userId })

test('archives that do not arrive in time give up their places', async () => {
  const { receive } = createArchiveReceiver(1)
  const send = () => receive({ content: new PassThrough(), userId: 'slow' }, async () => 'read')
  const slow = Array.from({ length: Limits.importsHeldOfUser }, () => caught(send()))
  await expect(send()).rejects.toMatchObject({ code: 'request.rate-limited' })
  for (const each of slow) expect(await each).toMatchObject({ code: 'request.too-slow' })
  await expect(send()).rejects.toMatchObject({ code: 'request.too-slow' })
})

test('somebody who sends slowly keeps nobody else out', async () => {
  const { receive } = createArchiveReceiver()
  const contents = Array.from({ length: Limits.importsHeldOfUser }, () => new PassThrough())
  const slow = contents.map((content) => receive({ content, userId: 'slow' }, async () => 'late'))
  for (const content of contents) content.write('arch')
  for (let times = 0; times < Limits.importsHeld; times++) expect(await receive(whole('quick'), async () => times)).toBe(times)
  for (const content of contents) content.end('ive')
  expect(await Promise.all(slow)).toEqual(contents.map(() => 'late'))
})

test('what has arrived waits for its turn, and no more is taken in than is bounded', async () => {
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
  const held = Array.from({ length: Limits.importsHeld }, (_, index) => send(index))
  await expect(send(-1)).rejects.toMatchObject({ code: 'request.rate-limited' })
  for (const index of held.keys()) {
    await vi.waitFor(() => expect(ends.length).toBeGreaterThan(index), { timeout: 10_000 })
    ends[index]?.()
  }
  expect((await Promise.all(held)).toSorted()).toEqual([...held.keys()])
  expect([order.length, most]).toEqual([held.length, Limits.importsAtOnce])
  // All of its places are free again.
  expect(await receive(whole('next'), async () => 'read')).toBe('read')
})

test('one that cannot be read gives its place to the next', async () => {
  const { receive } = createArchiveReceiver()
  const broken = () => receive(whole('somebody'), () => Promise.reject(new Error('broken')))
  for (let times = 0; times <= Limits.importsHeld; times++) await expect(broken()).rejects.toThrow('broken')
  expect(await receive(whole('somebody'), async () => 'read')).toBe('read')
})
