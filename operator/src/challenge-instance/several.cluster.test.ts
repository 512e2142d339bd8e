import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import type { ReadyReason } from '@capstan/challenge-instance/reasons'
import { networkPolicies, pods, secrets } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  crashImage,
  createTestCluster,
  echoImage,
  sendLineAndReadReply,
  type TestCluster,
  waitForValue,
} from '../testing/cluster.ts'
import { followInstance } from '../testing/follow-instance.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await createTestCluster()
  await cluster.startOperator()
})
afterAll(() => cluster?.close())

type Further = NonNullable<ChallengeInstanceSpec['containers']>[number]

const resources = { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 }
const echo = { image: echoImage, resources, egress: 'None', profile: 'Restricted' } as const

/** Instance with a page, its database and a bot. The page shares one network with the database and another network with the bot. */
function aShop({ db = {}, bot = {} }: { db?: Partial<Further>; bot?: Partial<Further> } = {}): Partial<ChallengeInstanceSpec> {
  return {
    container: { name: 'page', networks: [{ name: 'front' }, { name: 'back' }], dependsOn: [{ name: 'db', when: 'Ready' }] },
    containers: [
      {
        ...echo,
        name: 'db',
        networks: [{ name: 'back' }],
        readiness: { command: ['node', '-e', 'require("net").connect(1337, "127.0.0.1").on("connect", () => process.exit(0))'] },
        ...db,
      },
      {
        ...echo,
        name: 'bot',
        networks: [{ name: 'front' }],
        dependsOn: [{ name: 'page', when: 'Started' }],
        furtherPorts: [1337],
        ...bot,
      },
    ],
  }
}

/**
 * Waits until an instance is ready.
 * @returns the address of each container
 */
async function addressesOf(name: string): Promise<Record<string, string>> {
  const { status } = await cluster.waitForReason(name, 'Ready')
  return Object.fromEntries(status?.containers?.map((container) => [container.name, container.host ?? '']) ?? [])
}

async function podsOf(name: string) {
  const all = await cluster.list(pods)
  return new Map(all.filter(({ metadata }) => metadata.name.startsWith(name)).map((pod) => [pod.metadata.name, pod]))
}

/** Waits until no objects of an instance and its containers remain. */
async function waitUntilNothingIsLeft(name: string): Promise<void> {
  await waitForValue(`nothing of ${name} and its containers is left`, async () => {
    const lists = await Promise.all([
      cluster.list(challengeInstances),
      cluster.list(pods),
      cluster.list(networkPolicies),
      cluster.list(secrets),
    ])
    return lists.flat().some(({ metadata }) => metadata.name.startsWith(name)) ? undefined : true
  })
}

async function connects(from: string | undefined, to: string | undefined) {
  return sendLineAndReadReply(from ?? '', 1337, `dial ${to} 1337`)
}

describe.concurrent('an instance with three containers', () => {
  it('only containers that share a network can connect, and no objects remain at the end of the instance', async () => {
    const name = 'ci-shop'
    const [, , one, other] = [
      await cluster.create(aShop(), { name, flag: 'flag{shop}' }),
      await cluster.create(aShop(), { name: 'ci-rival' }),
      await addressesOf(name),
      await addressesOf('ci-rival'),
    ]
    expect(
      Object.fromEntries(
        await Promise.all(
          [
            ['page', 'db'],
            ['db', 'page'],
            ['page', 'bot'],
            ['bot', 'page'],
            ['bot', 'db'],
            ['db', 'bot'],
          ].map(async ([from = '', to = '']) => [`${from} to ${to}`, await connects(one[from], one[to])] as const),
        ),
      ),
    ).toEqual({
      'page to db': 'open',
      'db to page': 'open',
      'page to bot': 'open',
      'bot to page': 'open',
      'bot to db': 'closed',
      'db to bot': 'closed',
    })
    const foreign = await Promise.all(['page', 'db', 'bot'].map((container) => connects(one.page, other[container])))
    expect(foreign).toEqual(['closed', 'closed', 'closed'])
    expect(
      await Promise.all(['page', 'db', 'bot'].map((container) => sendLineAndReadReply(one[container] ?? '', 1337, 'flag'))),
    ).toEqual(['flag{shop}', 'no flag', 'no flag'])
    await Promise.all([name, 'ci-rival'].map((each) => cluster.remove(challengeInstances, each)))
    await Promise.all([name, 'ci-rival'].map(waitUntilNothingIsLeft))
  })

  it('gets a new pod for a container whose pod was deleted, while the other containers continue', async () => {
    const name = 'ci-mended'
    await cluster.create(aShop(), { name })
    await addressesOf(name)
    const before = await podsOf(name)
    await cluster.remove(pods, `${name}-db`)
    await waitForValue('the database has another pod', async () => {
      const pod = await cluster.find(pods, `${name}-db`)
      return pod && pod.metadata.uid !== before.get(`${name}-db`)?.metadata.uid ? true : undefined
    })
    const hosts = await addressesOf(name)
    const after = await podsOf(name)
    for (const other of [name, `${name}-bot`]) expect(after.get(other)?.metadata.uid).toBe(before.get(other)?.metadata.uid)
    await waitForValue('the status has the address of the new pod', async () => {
      const { status } = await cluster.waitForReason(name, 'Ready')
      const host = status?.containers?.find((container) => container.name === 'db')?.host
      return host === after.get(`${name}-db`)?.status?.podIP ? true : undefined
    })
    expect(await connects(hosts.page, (await podsOf(name)).get(`${name}-db`)?.status?.podIP)).toBe('open')
  })
})

/** Program that listens on port 1337, and fills its storage at the first connection. It ignores SIGTERM. */
const filler = `
process.on('SIGTERM', () => {})
const fill = () => require('fs').writeFileSync('/tmp/full', Buffer.alloc(96 << 20, 1))
require('net').createServer((socket) => { fill(); socket.end('filled\\n') }).listen(1337)
`

it('an evicted container has the reason Evicted and gets a new pod, while the other containers continue', async () => {
  const name = 'ci-evicted'
  const db = {
    command: ['node', '-e', filler],
    resources: { ...resources, memoryMb: 256, storageMb: 32 },
    readiness: { port: 1337 },
  }
  await cluster.create(aShop({ db: { ...db, furtherPorts: [1337] } }), { name })
  const hosts = await addressesOf(name)
  const { metadata } = await cluster.waitForReason(name, 'Ready')
  const before = await podsOf(name)
  const reasonOfDb = ({ status }: ChallengeInstance) => status?.containers?.find((each) => each.name === 'db')?.reason
  const { seen, end } = followInstance(cluster, metadata, reasonOfDb)
  expect(await sendLineAndReadReply(hosts.db ?? '', 1337, 'fill')).toBe('filled')
  // Wait long enough for the kubelet, which checks the storage about every ten seconds.
  await waitForValue('the database has a new pod', async () => {
    const pod = await cluster.find(pods, `${name}-db`)
    return pod && pod.metadata.uid !== before.get(`${name}-db`)?.metadata.uid ? true : undefined
  })
  await cluster.waitForReason(name, 'Ready')
  await waitForValue('the status named the eviction', () => Promise.resolve(seen.has('Evicted') || undefined))
  end()
  const after = await podsOf(name)
  for (const other of [name, `${name}-bot`]) expect(after.get(other)?.metadata.uid).toBe(before.get(other)?.metadata.uid)
})

const hog = { command: ['node', '-e', 'const all = []; setInterval(() => all.push(Buffer.alloc(8 << 20, 1)), 1)'] }
const failures: [string, ReadyReason, Partial<Further>][] = [
  ['an image that does not exist', 'ImagePullFailed', { image: 'registry.invalid/nothing:1' }],
  ['a crash loop', 'CrashLooping', { image: crashImage, profile: 'Baseline' }],
  ['too little memory', 'OutOfMemory', { ...hog, resources: { ...resources, memoryMb: 64 } }],
  ['a readiness command that fails', 'NotAnswering', { readiness: { command: ['node', '-e', 'process.exit(1)'] } }],
]

describe.concurrent('the status of an instance with several containers', () => {
  it.each(failures)(
    'shows the problem of one container, and that dependent containers wait or fail (%s: %s)',
    async (_what, reason, db) => {
      const { metadata } = await cluster.create(aShop({ db }))
      const { status } = await cluster.waitForReason(metadata.name, reason)
      expect(findCondition(status?.conditions, 'Reachable')).toMatchObject({
        status: 'False',
        message: expect.stringMatching(/^db: /),
      })
      const waits = reason === 'NotAnswering' ? 'WaitingForDependency' : 'DependencyFailed'
      expect(status?.containers?.map((container) => container.reason)).toEqual([waits, reason, waits])
      await cluster.remove(challengeInstances, metadata.name)
      await waitUntilNothingIsLeft(metadata.name)
    },
  )
})
