import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { networkPolicies, type Pod, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import { isNotFoundError } from '@capstan/kubernetes/client'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestCluster, type TestCluster, waitForValue } from '../testing/cluster.ts'
import { type Fault, type FaultProxy, startFaultProxy } from '../testing/fault-proxy.ts'
import { type OperatorProcess, startOperatorProcess } from '../testing/operator-process.ts'
import { createSeededRandom } from '../testing/seeded-random.ts'

/** Duration of the random actions, in seconds. It is short by default, and half an hour in the tests before a release. */
const seconds = Number(process.env.CAPSTAN_ENDURANCE_SECONDS ?? 25)
const seed = Number(process.env.CAPSTAN_ENDURANCE_SEED ?? 1)
const mostInstances = 10
/** Maximum time in which a restarted operator must repair all differences, in milliseconds. */
const catchUpMs = 300_000
const faults: Fault[] = ['lost', 'answer lost', 'late', 'doubled', 'cut', 409, 429, 500]

const random = createSeededRandom(seed)
function pick<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)]
}

let cluster: TestCluster
let proxy: FaultProxy
let operator: OperatorProcess
/** Names of the instances that the test has not deleted, each with its expiry time. */
const living = new Map<string, number>()

beforeAll(async () => {
  cluster = await createTestCluster()
  proxy = await startFaultProxy(cluster.access, ({ path }) =>
    random() < 0.05 && !path.includes('/leases') ? pick(faults) : undefined,
  )
  operator = await startOperatorProcess(proxy.access.server, cluster.environment())
})
afterAll(async () => {
  await operator?.kill()
  await proxy?.close()
  await cluster?.close()
})

async function ignoreMissing(action: Promise<unknown>): Promise<void> {
  await action.catch((error: unknown) => {
    if (!isNotFoundError(error)) throw error
  })
}

const actions: Record<string, () => Promise<void>> = {
  async create() {
    if (living.size >= mostInstances) return
    const endsAt = Date.now() + 5000 + random() * 60_000
    const exposure = pick(['Proxy', 'NodePort'] as const) ?? 'Proxy'
    const { metadata } = await cluster.create({ expiresAt: new Date(endsAt).toISOString(), exposure }, { flag: 'flag{x}' })
    living.set(metadata.name, endsAt)
  },
  async extend() {
    const name = pick([...living.keys()])
    if (name === undefined) return
    const endsAt = Date.now() + 20_000 + random() * 60_000
    const step = { op: 'replace' as const, path: '/spec/expiresAt', value: new Date(endsAt).toISOString() }
    await ignoreMissing(
      cluster.client
        .patchJson(challengeInstances, cluster.namespace, name, [step])
        .then(() => living.has(name) && living.set(name, endsAt)),
    )
  },
  async delete() {
    const name = pick([...living.keys()])
    if (name === undefined) return
    living.delete(name)
    await ignoreMissing(cluster.remove(challengeInstances, name))
  },
  async harm() {
    const resource = pick([pods, services, networkPolicies] as Resource[])
    const name = pick([...living.keys()])
    if (resource && name !== undefined) await ignoreMissing(cluster.remove(resource, name))
  },
  async killOperator() {
    await operator.kill()
    operator = await startOperatorProcess(proxy.access.server, cluster.environment())
  },
}
const likely = ['create', 'create', 'create', 'extend', 'delete', 'harm', 'harm', 'killOperator']

/**
 * Map from each current violation to the time at which the test first saw it. A violation is a difference between the
 * expected and the existing objects.
 */
const since = new Map<string, number>()

/** Returns violations that have lasted longer than the time that an operator has to repair them. */
async function violations(): Promise<string[]> {
  const now = Date.now()
  const instances = await cluster.list(challengeInstances)
  const listedAt = Date.now()
  const names = new Set(instances.map(({ metadata }) => metadata.name))
  const objects = await Promise.all(
    ([pods, services, networkPolicies, secrets] as Resource[]).map(async (resource) => ({
      resource,
      items: await cluster.list(resource as Resource<KubeObject>),
    })),
  )
  const wrong = objects.flatMap(({ resource, items }) =>
    items
      .filter(({ metadata }) => !names.has(metadata.name) && metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => `${resource.kind} ${metadata.name} has no instance`),
  )
  for (const [name, endsAt] of living) {
    if (endsAt < now - 1000 && names.has(name)) wrong.push(`${name} is over and still there`)
    if (endsAt > listedAt && !names.has(name)) wrong.push(`${name} has ended before its time`)
  }
  for (const key of since.keys()) if (!wrong.includes(key)) since.delete(key)
  for (const key of wrong) if (!since.has(key)) since.set(key, now)
  return wrong.filter((key) => now - (since.get(key) ?? now) > catchUpMs || key.includes('before its time'))
}

it(
  'random actions leave exactly the expected objects in the cluster',
  async () => {
    console.log(`Seed ${seed}, ${seconds} seconds`)
    const end = Date.now() + seconds * 1000
    let count = 0
    for (; Date.now() < end; count += 1) {
      const name = pick(likely) ?? 'create'
      // Skip four of five restarts of the operator, because starting a process is slow on a test machine.
      if (name !== 'killOperator' || random() < 0.2) await actions[name]?.()
      if (count % 10 === 0) expect(await violations()).toEqual([])
      for (const [each, endsAt] of living) if (endsAt < Date.now() - catchUpMs) living.delete(each)
      await new Promise((resolve) => setTimeout(resolve, 100 + random() * 300))
    }
    expect(count).toBeGreaterThan(0)
    await waitForValue('every instance whose time is not over is ready', async () => {
      const instances = await cluster.list(challengeInstances)
      const waiting = instances.filter(
        ({ status, metadata }) =>
          metadata.deletionTimestamp === undefined &&
          !status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      )
      return waiting.length === 0 ? true : undefined
    })
    expect(await violations()).toEqual([])
    for (const { metadata } of await cluster.list(challengeInstances))
      await ignoreMissing(cluster.remove(challengeInstances, metadata.name))
    await waitForValue('nothing is left', async () => {
      const left = await Promise.all(
        ([challengeInstances, pods, services, networkPolicies, secrets] as Resource<Pod>[]).map((resource) =>
          cluster.list(resource),
        ),
      )
      return left.every((list) => list.length === 0) ? true : undefined
    })
  },
  (seconds + 400) * 1000,
)
