import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../app.ts'
import { sampleTestCases } from '../full-run.ts'
import { createDatabaseFingerprint } from './fingerprint.ts'
import { addressOfRequest, type CallName, callNames, createValidRequest, findPermittedRole, operationOfCall } from './requests.ts'
import { createTestWorld, type World } from './world.ts'

const mebibyte = 1024 * 1024
/** Maximum processor time between two turns of the event loop, in ms, in addition to the time for a plain text. */
const patienceMs = 2_000
const lookMs = 5
const maxMemoryBytes = 64 * mebibyte

let context: TestApp
let world: World
let fingerprint: () => Promise<string>
const addresses = new Map<CallName, string>()
const withBody = sampleTestCases(
  callNames.filter((name) => operationOfCall(name).body),
  4,
)
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: 'http://localhost' } })
  world = await createTestWorld(context)
  fingerprint = await createDatabaseFingerprint(context)
  for (const name of withBody)
    addresses.set(
      name,
      addressOfRequest(operationOfCall(name), await createValidRequest(name, world, context, findPermittedRole(name))),
    )
})
afterAll(() => context.close())

async function ask(name: CallName, payload: string) {
  return (
    await context.app.inject({
      method: operationOfCall(name).method,
      url: addresses.get(name)!,
      headers: { 'content-type': 'application/json' },
      cookies: Object.fromEntries(world.clients[findPermittedRole(name)].cookies),
      payload,
    })
  ).statusCode
}

const levels = 10_000
function members(count: number) {
  return Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')
}
const heavy: Record<string, string> = {
  'lists in 10,000 levels': '['.repeat(levels) + ']'.repeat(levels),
  'objects in 10,000 levels': `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
  'a member with 10,000 levels': `{"userName":${'['.repeat(levels)}${']'.repeat(levels)}}`,
  '100,000 members': `{${members(100_000)}}`,
  'a list of 100,000 objects': `[${'{},'.repeat(99_999)}{}]`,
  '8 MiB of open lists': '['.repeat(8 * mebibyte),
  'a million members': `{${members(1_000_000)}}`,
}

/**
 * Measures the longest blocking of the event loop and the largest growth of the heap during `work`. The blocking is measured as
 * processor time, which other load on the machine does not increase.
 */
async function watched(work: () => Promise<void>, sample: (note: () => void) => void) {
  let deafMs = 0
  let seen = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(seen)
    deafMs = Math.max(deafMs, (user + system) / 1_000)
    seen = process.threadCpuUsage()
  }
  const heapBefore = process.memoryUsage().heapUsed
  let grownBytes = 0
  sample(() => {
    grownBytes = Math.max(grownBytes, process.memoryUsage().heapUsed - heapBefore)
  })
  const looking = setInterval(look, lookMs)
  await work()
  clearInterval(looking)
  look()
  return { deafMs, grownBytes }
}

test.each(Object.keys(heavy))(
  'refuses %s in every call with a body, and neither blocks the process nor increases its memory',
  async (kind) => {
    const payload = heavy[kind]!
    const before = await fingerprint()
    let note = () => {}
    const run = (text: string, allowed: readonly number[]) =>
      watched(
        async () => {
          // Send only three requests at once, because the memory of concurrent requests adds up.
          for (let start = 0; start < withBody.length; start += 3) {
            const names = withBody.slice(start, start + 3)
            const statuses = await Promise.all(names.map((name) => ask(name, text)))
            note()
            expect(names.filter((_, index) => !allowed.includes(statuses[index]!))).toEqual([])
          }
        },
        (noteHeap) => {
          note = noteHeap
        },
      )
    // For comparison, measure a plain text of the same length.
    const idle = await run(JSON.stringify('x'.repeat(payload.length)), [400, 413])
    const busy = await run(payload, [400, 413])
    expect(busy.deafMs).toBeLessThan(10 * idle.deafMs + patienceMs)
    expect(busy.grownBytes).toBeLessThan(idle.grownBytes + maxMemoryBytes)
    expect(await fingerprint()).toBe(before)
  },
)
