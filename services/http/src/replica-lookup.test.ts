import type { LookupAddress } from 'node:dns'
import { expect, test } from 'vitest'
import { createReplicaLookup, type ReplicaLookup } from './replica-lookup.ts'

function v4(address: string): LookupAddress {
  return { address, family: 4 }
}
const refused = Object.assign(new Error('refused'), { code: 'EAI_AGAIN' })

/** Creates a lookup. The test controls its clock and the responses of the DNS server. */
function start() {
  const questions: { name: string; answer: (addresses: LookupAddress[]) => void; refuse: () => void }[] = []
  let time = 0
  const replicas = createReplicaLookup({
    now: () => time,
    resolve: (name) => new Promise((resolve, reject) => questions.push({ name, answer: resolve, refuse: () => reject(refused) })),
  })
  return { replicas, questions, passTime: (ms: number) => (time += ms) }
}

function find({ lookup }: ReplicaLookup, name = 'api') {
  return new Promise<string[]>((resolve, reject) =>
    lookup(name, { all: true }, (error, found) =>
      error ? reject(error) : resolve((found as LookupAddress[]).map(({ address }) => address)),
    ),
  )
}

test('sends one query for concurrent callers, and returns the replicas in rotating order', async () => {
  const { replicas, questions } = start()
  const answers = Promise.all([find(replicas), find(replicas), find(replicas)])
  questions[0]?.answer([v4('10.0.0.1'), v4('10.0.0.2')])
  const firsts = (await answers).map(([first]) => first)
  expect(questions).toHaveLength(1)
  expect(new Set(firsts)).toEqual(new Set(['10.0.0.1', '10.0.0.2']))
})

test('a lookup returns cached addresses until the DNS server responds, and new addresses afterwards', async () => {
  const { replicas, questions, passTime } = start()
  const first = find(replicas)
  questions[0]?.answer([v4('10.0.0.1')])
  await first
  passTime(30_000)
  expect(await find(replicas)).toEqual(['10.0.0.1'])
  expect(questions).toHaveLength(2)
  questions[1]?.answer([v4('10.0.0.9')])
  await expect.poll(() => find(replicas)).toEqual(['10.0.0.9'])
})

test('a lookup waits for the DNS server if the cached addresses are old, but uses these addresses if the server fails', async () => {
  const { replicas, questions, passTime } = start()
  const first = find(replicas)
  questions[0]?.answer([v4('10.0.0.1')])
  await first
  passTime(3_600_000)
  const later = find(replicas)
  questions[1]?.refuse()
  expect(await later).toEqual(['10.0.0.1'])
})

test('rejects a call if no address was ever known', async () => {
  const { replicas, questions } = start()
  const call = find(replicas)
  questions[0]?.refuse()
  await expect(call).rejects.toMatchObject({ code: 'EAI_AGAIN' })
  const empty = find(replicas)
  questions[1]?.answer([])
  await expect(empty).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

test('rejects a call if the DNS server does not respond in time', async () => {
  const replicas = createReplicaLookup({ resolve: () => new Promise(() => {}), lookupMs: 20 })
  await expect(find(replicas)).rejects.toMatchObject({ code: 'EAI_AGAIN' })
})

test('an address moves to the end of the list for a limited time after a connection to it failed', async () => {
  const { replicas, questions, passTime } = start()
  const first = find(replicas)
  questions[0]?.answer([v4('10.0.0.1'), v4('10.0.0.2'), v4('10.0.0.3')])
  await first
  replicas.avoid('10.0.0.2')
  const lasts = [await find(replicas), await find(replicas), await find(replicas)].map((found) => found.at(-1))
  expect(lasts).toEqual(['10.0.0.2', '10.0.0.2', '10.0.0.2'])
  passTime(15_000)
  const later = [await find(replicas), await find(replicas), await find(replicas)].map(([address]) => address)
  expect(later).toContain('10.0.0.2')
})

test('a lookup sends a new query for a name whose cached addresses were dropped', async () => {
  const { replicas, questions } = start()
  const first = find(replicas)
  questions[0]?.answer([v4('10.0.0.1')])
  await first
  replicas.forget('api')
  const again = find(replicas)
  questions[1]?.answer([v4('10.0.0.2')])
  expect(await again).toEqual(['10.0.0.2'])
})
