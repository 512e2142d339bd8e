import { containerLabel, instanceLabel, namesAnnotation, teamLabel } from '@capstan/challenge-instance/labels'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { createFakeClock } from '@capstan/kubernetes/testing/fake-clock'
import { decode, encode, type RecordType } from 'dns-packet'
import { describe, expect, it, test } from 'vitest'
import { aMoment, aMomentPlusSeconds } from '../testing/builders.ts'
import { createSeededRandom } from '../testing/seeded-random.ts'
import { createContainerDirectory } from './directory.ts'
import { createNameResolver, type Forward, holdMs, maxQueriesPerSecond, maxWaitingPerTeam } from './resolver.ts'

interface Traits {
  instance?: string
  team?: string
  container: string
  ip?: string
  ips?: string[]
  peers?: Record<string, string>
  phase?: string
  deleted?: boolean
}

function aContainer({ instance = 'ci-1', team = '1', container, ip, ips, peers = {}, phase = 'Running', deleted }: Traits): Pod {
  return {
    metadata: {
      name: `${instance}-${container}`,
      uid: `${instance}-${container}-${ip}`,
      resourceVersion: '1',
      creationTimestamp: aMomentPlusSeconds(0),
      labels: { [instanceLabel]: instance, [teamLabel]: team, [containerLabel]: container },
      annotations: { [namesAnnotation]: JSON.stringify(peers) },
      ...(deleted ? { deletionTimestamp: aMomentPlusSeconds(1) } : {}),
    },
    status: { phase, ...(ip && { podIP: ip }), ...(ips && { podIPs: ips.map((each) => ({ ip: each })) }) },
  }
}

const page = aContainer({ container: 'page', ip: '10.0.0.1', peers: { db: 'db', store: 'db', bot: 'bot' } })
const db = aContainer({ container: 'db', ip: '10.0.0.2', peers: { page: 'page' } })
const rival = aContainer({ instance: 'ci-2', team: '2', container: 'db', ip: '10.0.0.9' })

function setUp(known: readonly Pod[] = [page, db, rival], forward?: Forward) {
  const directory = createContainerDirectory()
  const clock = createFakeClock(aMoment)
  const resolver = createNameResolver({ directory, clock, forward })
  const change = (now: Pod | undefined, before?: Pod) => {
    directory.change(now, before)
    resolver.wake()
  }
  for (const pod of known) change(pod)
  /** Returns the response code and the data of the answer records. */
  const ask = async (from: string, name: string, type: RecordType = 'A') => {
    const answer = await resolver.resolve(encode({ type: 'query', id: 7, questions: [{ name, type }] }), from, 'udp')
    if (answer === undefined) return undefined
    const { id, rcode, answers = [] } = decode(answer) as ReturnType<typeof decode> & { rcode: string }
    expect(id).toBe(7)
    return [rcode, ...answers.map((record) => ('data' in record ? record.data : undefined))]
  }
  return { ask, change, clock, resolver }
}

describe('a container', () => {
  it.each([
    ['its peers by name', 'db', ['NOERROR', '10.0.0.2']],
    ['its peers by alias', 'store', ['NOERROR', '10.0.0.2']],
    ['names in any case', 'DB', ['NOERROR', '10.0.0.2']],
    ['no other name', 'registry.example', ['NXDOMAIN']],
    ['no name of the cluster', 'kubernetes.default.svc.cluster.local', ['NXDOMAIN']],
    ['no name of a service', 'db.ci-1.svc', ['NXDOMAIN']],
  ])('resolves %s', async (_what, name, expected) => {
    expect(await setUp().ask('10.0.0.1', name)).toEqual(expected)
  })

  it('a container cannot resolve names of containers outside of its networks', async () => {
    expect(await setUp().ask('10.0.0.2', 'bot')).toEqual(['NXDOMAIN'])
  })

  it('a container resolves a name within its instance, even if another instance has the same name', async () => {
    const other = aContainer({ instance: 'ci-2', container: 'page', ip: '10.0.0.8', peers: { db: 'db' } })
    expect(await setUp([page, db, rival, other]).ask('10.0.0.8', 'db')).toEqual(['NOERROR', '10.0.0.9'])
  })

  it('gets an empty answer if the other container has no address of the requested IP version', async () => {
    expect(await setUp().ask('10.0.0.1', 'db', 'AAAA')).toEqual(['NOERROR'])
    const dual = aContainer({ container: 'db', ip: '10.0.0.2', ips: ['10.0.0.2', 'fd00::2'] })
    expect(await setUp([page, dual]).ask('10.0.0.1', 'db', 'AAAA')).toEqual(['NOERROR', 'fd00::2'])
  })

  it('cannot find the name for an address', async () => {
    expect(await setUp().ask('10.0.0.1', '2.0.0.10.in-addr.arpa', 'PTR')).toEqual(['NXDOMAIN'])
  })

  it('gets the new address of a container whose pod was replaced, not the address of the pod that is being deleted', async () => {
    const { ask, change } = setUp()
    const leaving = aContainer({ container: 'db', ip: '10.0.0.2', deleted: true })
    const next = aContainer({ container: 'db', ip: '10.0.0.3' })
    change(leaving, db)
    change(next)
    expect(await ask('10.0.0.1', 'db')).toEqual(['NOERROR', '10.0.0.3'])
    change(undefined, leaving)
    expect(await ask('10.0.0.1', 'db')).toEqual(['NOERROR', '10.0.0.3'])
  })
})

describe('a query that must wait', () => {
  it('a query is answered as soon as the requested container has an address', async () => {
    const { ask, change } = setUp([page])
    const answer = ask('10.0.0.1', 'db')
    change(db)
    expect(await answer).toEqual(['NOERROR', '10.0.0.2'])
  })

  it('the resolver answers a query as soon as the sender is a known container', async () => {
    const { ask, change } = setUp([db])
    const answer = ask('10.0.0.1', 'db')
    change(page)
    expect(await answer).toEqual(['NOERROR', '10.0.0.2'])
  })

  it('the resolver drops a waiting query after less than 4 s', async () => {
    expect(holdMs).toBeLessThan(4_000)
    const { ask, clock } = setUp([page])
    const answer = ask('10.0.0.1', 'db')
    await clock.advance(holdMs)
    expect(await answer).toBeUndefined()
  })

  it('a waiting query is dropped if no running container has its source address', async () => {
    const { ask, clock } = setUp([aContainer({ container: 'page', ip: '10.0.0.1', phase: 'Failed' })])
    const answer = ask('10.0.0.1', 'db')
    await clock.advance(holdMs)
    expect(await answer).toBeUndefined()
  })
})

test('eight concurrent name look-ups with the C library musl stay within the limit for a team', async () => {
  const { ask, change, clock } = setUp([page])
  const answers: Promise<unknown>[] = []
  for (let attempt = 0; attempt < 4; attempt += 1) {
    for (let lookUp = 0; lookUp < 8; lookUp += 1) answers.push(ask('10.0.0.1', 'db'), ask('10.0.0.1', 'db', 'AAAA'))
    if (attempt < 3) await clock.advance(950)
  }
  change(db)
  const found = (await Promise.all(answers)).filter((answer) => answer !== undefined)
  expect(found).toHaveLength(maxWaitingPerTeam)
})

test('one container gets at most 200 responses per second, and the limit does not affect other containers', async () => {
  const { ask, clock } = setUp()
  for (let count = 0; count < maxQueriesPerSecond; count += 1) await ask('10.0.0.1', 'db')
  expect(await ask('10.0.0.1', 'db')).toBeUndefined()
  expect(await ask('10.0.0.2', 'page')).toEqual(['NOERROR', '10.0.0.1'])
  await clock.advance(1000)
  expect(await ask('10.0.0.1', 'db')).toEqual(['NOERROR', '10.0.0.2'])
})

test('a forwarding server forwards only names that have a dot and do not belong to the instance', async () => {
  const forwarded: string[] = []
  const { ask } = setUp([page, db], async (message) => {
    forwarded.push(decode(message).questions?.[0]?.name ?? '')
    return undefined
  })
  expect(await ask('10.0.0.1', 'db')).toEqual(['NOERROR', '10.0.0.2'])
  expect(await ask('10.0.0.1', 'registry.example')).toBeUndefined()
  expect(await ask('10.0.0.1', 'other')).toEqual(['NXDOMAIN'])
  expect(forwarded).toEqual(['registry.example'])
})

test('if the forwarded queries of a team get no response, the team cannot block queries of other teams, even with several instances', async () => {
  let forwarded = 0
  const { promise: silence, resolve: answerAll } = Promise.withResolvers<undefined>()
  const second = aContainer({ instance: 'ci-3', container: 'page', ip: '10.0.0.3' })
  const { ask } = setUp([page, second, rival], () => {
    forwarded += 1
    return silence
  })
  const first = Array.from({ length: maxWaitingPerTeam + 10 }, () => ask('10.0.0.1', 'silent.example'))
  first.push(ask('10.0.0.3', 'silent.example'))
  expect(forwarded).toBe(maxWaitingPerTeam)
  const other = ask('10.0.0.9', 'silent.example')
  expect(forwarded).toBe(maxWaitingPerTeam + 1)
  answerAll(undefined)
  await Promise.all([...first, other])
  await ask('10.0.0.1', 'silent.example')
  expect(forwarded).toBe(maxWaitingPerTeam + 2)
})

test('messages other than queries get no response, and no message makes the server fail', async () => {
  const { resolver } = setUp()
  const random = createSeededRandom(1)
  const query = encode({ type: 'query', id: 7, questions: [{ name: 'db', type: 'A' }] })
  expect(await resolver.resolve(encode({ type: 'response', id: 7 }), '10.0.0.1', 'udp')).toBeUndefined()
  for (let round = 0; round < 1000; round += 1) {
    const message = Buffer.from(query.subarray(0, Math.floor(random() * (query.length + 1))))
    for (let index = 0; index < message.length; index += 1) if (random() < 0.2) message[index] = Math.floor(random() * 256)
    // Vary the source address, because the resolver limits the number of queries from each address.
    void resolver.resolve(message, `10.0.${round % 2}.${round % 3}`, 'udp')
  }
  expect(await resolver.resolve(query, '10.0.0.2', 'tcp')).toBeDefined()
})

/**
 * Returns a message whose first record contains a long chain of pointers. The names of all other records start at the end of the
 * chain.
 */
function aChainOfPointers(bytes: number): Buffer {
  const chainAt = 23
  const links = Math.floor(Math.min(bytes / 2, 16_000) / 2)
  const chain = Buffer.alloc(2 + 2 * links)
  for (let link = 0; link < links; link++) chain.writeUInt16BE(0xc000 | (link === 0 ? chainAt : chainAt + 2 * link), 2 + 2 * link)
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc000 | (chainAt + 2 * links), 0)
  record.writeUInt16BE(0xff10, 2)
  const others = Math.floor((bytes - chainAt - chain.length) / record.length)
  const head = Buffer.alloc(chainAt)
  head.writeUInt16BE(others + 1, 6)
  head.writeUInt16BE(0xff10, 13)
  head.writeUInt16BE(chain.length, chainAt - 2)
  return Buffer.concat([head, chain, ...Array.from({ length: others }, () => record)])
}

test.each([513, 4_000, 65_000])('a message of %i bytes is dropped', async (bytes) => {
  const { resolver } = setUp()
  const query = encode({ type: 'query', id: 7, questions: [{ name: 'db', type: 'A' }] })
  const message = Buffer.concat([query, Buffer.alloc(bytes - query.length)])
  expect(await resolver.resolve(message, '10.0.0.1', 'udp')).toBe(undefined)
})

/** Returns the response code, and the number of answers. */
function readAnswer(answer: Buffer | undefined) {
  const { rcode, answers = [] } = decode(answer!) as ReturnType<typeof decode> & { rcode: string }
  return [rcode, answers.length]
}

test('only the question of a query is parsed, because the names of other records may contain many pointers', async () => {
  const { resolver } = setUp()
  const question = encode({ type: 'query', id: 7, questions: [{ name: 'db', type: 'A' }] })
  const withRecords = (records: Buffer, count: number) => {
    const message = Buffer.concat([question, records])
    message.writeUInt16BE(count, 10)
    return message
  }
  // The name of each record is a pointer to the name itself, so that no parser accepts it.
  const loop = withRecords(Buffer.from([0xc0, question.length, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]), 1)
  expect(() => decode(loop)).toThrow()
  for (const message of [loop, withRecords(Buffer.alloc(0), 65_535)])
    expect(readAnswer(await resolver.resolve(message, '10.0.0.1', 'udp'))).toEqual(['NOERROR', 1])
  expect(readAnswer(await resolver.resolve(aChainOfPointers(512), '10.0.0.1', 'udp'))).toEqual(['FORMERR', 0])
})

test('a query with several questions, or with none, is a format error', async () => {
  const { resolver } = setUp()
  const message = encode({ type: 'query', id: 7, questions: [{ name: 'db', type: 'A' }] })
  for (const count of [0, 2, 65_535]) {
    message.writeUInt16BE(count, 4)
    expect(readAnswer(await resolver.resolve(message, '10.0.0.1', 'udp'))).toEqual(['FORMERR', 0])
  }
})

test('a waiting query is parsed only once', async () => {
  const { resolver, change } = setUp([page])
  const message = encode({ type: 'query', id: 7, questions: [{ name: 'db', type: 'A' }] })
  const answer = resolver.resolve(message, '10.0.0.1', 'udp')
  // Overwrite the query with zeros. If the resolver parsed the query again, it would no longer find the name.
  message.fill(0)
  change(db)
  expect(readAnswer(await answer)).toEqual(['NOERROR', 1])
})

/** Returns a record of options with an option of this code. */
function anOptRecord(code: number, data: Buffer, udpPayloadSize: number) {
  const options = [{ code, data }] as unknown as []
  return { type: 'OPT', name: '.', udpPayloadSize, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: true, options } as const
}

/** Host name with the maximum length of 253 characters. */
const longestName = Array.from({ length: 4 }, () => 'x'.repeat(63))
  .join('.')
  .slice(0, 253)

test.each([
  ['dig, with a cookie', anOptRecord(10, Buffer.alloc(8, 1), 1232)],
  ['dig, with the cookie of a server', anOptRecord(10, Buffer.alloc(40, 1), 1232)],
  ['glibc with trust-ad and edns0', anOptRecord(3, Buffer.alloc(0), 1200)],
  ['Go', anOptRecord(3, Buffer.alloc(0), 1232)],
  ['a resolver that adds 128 bytes of padding', anOptRecord(12, Buffer.alloc(128), 4096)],
])('a query of %s gets an answer, even for the longest name', async (_client, options) => {
  const forwarded: string[] = []
  const { resolver } = setUp([page, db], async (message) => {
    forwarded.push(decode(message).questions?.[0]?.name ?? '')
    return message
  })
  const queryFor = (name: string) =>
    encode({ type: 'query', id: 7, flags: 0x120, questions: [{ name, type: 'A' }], additionals: [options] })
  expect(readAnswer(await resolver.resolve(queryFor('db'), '10.0.0.1', 'udp'))).toEqual(['NOERROR', 1])
  expect(await resolver.resolve(queryFor(longestName), '10.0.0.1', 'udp')).toBeDefined()
  expect(forwarded).toEqual([longestName])
})
