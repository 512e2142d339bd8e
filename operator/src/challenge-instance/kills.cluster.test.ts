import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { networkPolicies, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import type { Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestCluster, echoImage, type TestCluster, waitForValue } from '../testing/cluster.ts'
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from '../testing/fault-proxy.ts'
import { startOperatorProcess } from '../testing/operator-process.ts'
import { createSeededRandom } from '../testing/seeded-random.ts'

const seed = Number(process.env.CAPSTAN_TEST_KILL_SEED ?? Math.floor(Math.random() * 2 ** 31))
const random = createSeededRandom(seed)
const count = 15
/** Number of kills while the instances start. The same number of kills occurs while they end. */
const killsPerPhase = 10
/** Maximum number of writes before the test kills the operator. */
const maxWrites = { start: 20, end: 4 }

let cluster: TestCluster
let proxy: FaultProxy
let onAnswer: (request: ProxiedRequest) => Promise<void> | undefined = () => undefined

beforeAll(async () => {
  cluster = await createTestCluster()
  proxy = await startFaultProxy(
    cluster.access,
    () => undefined,
    (request) => onAnswer(request),
  )
})
afterAll(async () => {
  await proxy?.close()
  await cluster?.close()
})

const small = { cpuTenths: 1, memoryMb: 64, storageMb: 64, pids: 64 }
const further = { image: echoImage, resources: small, egress: 'None', profile: 'Restricted' } as const
/** Instance with three containers and two networks. Two of the containers have a flag. */
const spec: Partial<ChallengeInstanceSpec> = {
  resources: small,
  container: { name: 'page', networks: [{ name: 'front' }, { name: 'back' }] },
  containers: [
    { ...further, name: 'db', networks: [{ name: 'back' }], flag: { environmentNames: ['FLAG'] } },
    { ...further, name: 'bot', networks: [{ name: 'front' }], dependsOn: [{ name: 'page', when: 'Started' }] },
  ],
}

/** Number of operators that were killed before they had done all work. */
let interrupted = 0

/** Runs an operator until it has made `writes` writes or `isDone` returns true. Then kills the operator. */
async function operateUntil(writes: number, isDone: () => Promise<boolean>): Promise<void> {
  const last = proxy.writes() + writes
  let killed: Promise<void> | undefined
  const operator = await startOperatorProcess(proxy.access.server, cluster.environment())
  onAnswer = ({ isWrite }) => {
    // Delay the response until the process has ended, so that the process never receives the response.
    if (isWrite && proxy.writes() >= last) killed ??= operator.kill()
    return killed
  }
  await waitForValue('the operator was killed, or its work is done', async () =>
    killed !== undefined || (await isDone()) ? true : undefined,
  )
  if (killed !== undefined) interrupted += 1
  await (killed ?? operator.kill())
}

async function areReady(): Promise<boolean> {
  const instances = await cluster.list(challengeInstances)
  return instances.every(({ status }) => findCondition(status?.conditions, 'Ready')?.status === 'True')
}

function randomWrites(max: number): number {
  return 1 + Math.floor(random() * max)
}

it('15 instances of three containers leave no object, although the operator is killed 20 times at random', async () => {
  console.log(`Seed ${seed}`)
  const names = Array.from({ length: count }, (_, index) => `ci-kills-${index}`)
  const shareOf = (round: number) => Math.ceil((count * (round + 1)) / killsPerPhase)
  for (let round = 0; round < killsPerPhase; round += 1) {
    for (const name of names.slice(shareOf(round - 1), shareOf(round))) await cluster.create(spec, { name, flag: 'flag{x}' })
    await operateUntil(round + 1 < killsPerPhase ? randomWrites(maxWrites.start) : Number.POSITIVE_INFINITY, areReady)
  }
  expect((await cluster.list(pods)).map(({ metadata }) => metadata.name).toSorted()).toEqual(
    names.flatMap((name) => [name, `${name}-bot`, `${name}-db`]).toSorted(),
  )
  for (let round = 0; round < killsPerPhase; round += 1) {
    const ending = names.slice(shareOf(round - 1), shareOf(round))
    for (const name of ending) await (random() < 0.3 ? cluster.remove(challengeInstances, name) : cluster.setEnd(name, 0))
    await operateUntil(randomWrites(maxWrites.end), async () => {
      const left = (await cluster.list(challengeInstances)).map(({ metadata }) => metadata.name)
      return !ending.some((name) => left.includes(name))
    })
  }
  console.log(`${interrupted} of ${2 * killsPerPhase} operators were killed before their work was done`)
  expect(interrupted).toBeGreaterThan(killsPerPhase / 2)
  await cluster.startOperator()
  await waitForValue('nothing is left', async () => {
    const kinds = [challengeInstances, pods, services, networkPolicies, secrets] as Resource[]
    return (await Promise.all(kinds.map((kind) => cluster.list(kind)))).flat().length === 0 ? true : undefined
  })
})
