import { randomUUID } from 'node:crypto'
import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import {
  challengeLabel,
  gameLabel,
  instanceIdLabel,
  instanceLabel,
  participationLabel,
  teamLabel,
} from '@capstan/challenge-instance/labels'
import { deriveFormerInstanceName, deriveInstanceName } from '@capstan/challenge-instance/names'
import { secrets } from '@capstan/kubernetes/built-in-kinds'
import type { Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EntryContainerSpec, InstanceRuntime, InstanceSpec } from './runtime.ts'
import { type ClusterHarness, crashImage, echoImage, startClusterHarness } from './testing/cluster-harness.ts'
import { anAdditionalContainer, anEntryContainer } from './testing/instance-spec.ts'
import { describeRuntimeContract } from './testing/runtime-contract.ts'

describeRuntimeContract(
  'kubernetes runtime',
  async () => {
    const harness = await startClusterHarness()
    const runtime = harness.createRuntime()
    const close = async () => {
      await runtime.close()
      await harness.close()
    }
    return { runtime, echoImage, crashImage, missingImage: 'capstan/no-such-image:dev', port: 1337, close }
  },
  { settleMs: 60_000 },
)

describe('the runtime of a cluster', () => {
  let harness: ClusterHarness
  let runtime: InstanceRuntime
  beforeAll(async () => {
    // No operator runs here. The api writes the objects, and each test writes the status.
    harness = await startClusterHarness({ withOperator: false })
    runtime = harness.createRuntime()
  })
  afterAll(async () => {
    await runtime.close()
    await harness.close()
  })

  const anEntry = (values: Partial<EntryContainerSpec> = {}) =>
    anEntryContainer({ image: 'shop:1', port: 8080, cpuTenths: 5, memoryMb: 128, storageMb: 256, ...values })
  const aSpec = (values: Partial<InstanceSpec> = {}): InstanceSpec => ({
    id: randomUUID(),
    gameId: 3,
    challengeId: 5,
    participationId: 7,
    teamId: 11,
    flag: 'flag{canary}',
    containers: [anEntry()],
    expiresAt: new Date('2030-01-02T03:04:05.678Z'),
    capture: true,
    ...values,
  })
  const objectOf = (id: string) => harness.find(challengeInstances, deriveInstanceName(id))
  const setReady = async (id: string, status: object) =>
    harness.client.applyStatus(challengeInstances, (await objectOf(id))!, status, 'capstan-tests')
  const condition = (status: 'True' | 'False', reason: string, message: string) => ({
    type: 'Ready',
    status,
    reason,
    message,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  })

  test('the list of instances is undefined before the first complete list from the cluster', async () => {
    const other = harness.createRuntime()
    expect(other.list()).toBeUndefined()
    await expect.poll(() => other.list(), { timeout: 120_000 }).toEqual([])
    await other.close()
  })

  test('a created object has all data that the operator needs, and only a Secret contains the flag', async () => {
    const spec = aSpec()
    await runtime.create(spec)
    const object = await objectOf(spec.id)
    expect(object).toMatchObject({
      metadata: {
        labels: {
          [instanceIdLabel]: spec.id,
          [gameLabel]: '3',
          [challengeLabel]: '5',
          [participationLabel]: '7',
          [teamLabel]: '11',
        },
      },
      spec: {
        gameId: 3,
        challengeId: 5,
        participationId: 7,
        teamId: 11,
        image: 'shop:1',
        port: 8080,
        resources: { cpuTenths: 5, memoryMb: 128, storageMb: 256, pids: 64 },
        flag: { secretName: deriveInstanceName(spec.id), environmentNames: ['FLAG'] },
        expiresAt: '2030-01-02T03:04:05.678Z',
        exposure: 'Proxy',
        egress: 'None',
        security: { profile: 'Baseline' },
        capture: { enabled: true },
      },
    })
    expect(JSON.stringify(object)).not.toContain('canary')
    expect(await harness.find(secrets, deriveInstanceName(spec.id))).toMatchObject({
      metadata: { labels: { [instanceLabel]: deriveInstanceName(spec.id) } },
      data: { flag: Buffer.from('flag{canary}').toString('base64') },
    })
  })

  test('the object lists the recorded containers of an instance with several containers', async () => {
    const containers = [anEntry({ name: 'main' }), anAdditionalContainer('db')] as const
    const [published, all] = [aSpec({ containers }), aSpec({ containers, capture: 'all' })]
    for (const spec of [published, all]) await runtime.create(spec)
    expect((await objectOf(published.id))?.spec.capture.containers).toEqual([{ name: 'main', ports: [8080] }])
    expect((await objectOf(all.id))?.spec.capture.containers).toEqual([{ name: 'main' }, { name: 'db' }])
  })

  test('a static test instance has no Secret, and its object has no team and no participation', async () => {
    const spec = aSpec({ participationId: undefined, teamId: undefined, flag: undefined })
    await runtime.create(spec)
    expect(Object.keys((await objectOf(spec.id))!.spec).sort()).toEqual(
      ['capture', 'challengeId', 'egress', 'expiresAt', 'exposure', 'gameId', 'image', 'port', 'resources', 'security'].sort(),
    )
    expect(await harness.find(secrets, deriveInstanceName(spec.id))).toBeUndefined()
  })

  test('the object of an instance contains settings of the deployment', async () => {
    const other = harness.createRuntime({
      exposure: 'NodePort',
      egress: 'Internet',
      flagEnvironmentNames: ['CTF_FLAG', 'FLAG'],
      imagePullSecrets: ['registry'],
      runtimeClassName: 'gvisor',
      securityProfile: 'Restricted',
    })
    expect([runtime.exposure, other.exposure]).toEqual(['Proxy', 'Direct'])
    const spec = aSpec()
    await other.create(spec)
    // Every runtime reads the exposure that the object got at its creation.
    await expect.poll(() => runtime.find(spec.id)?.exposure).toBe('Direct')
    expect((await objectOf(spec.id))?.spec).toMatchObject({
      exposure: 'NodePort',
      egress: 'Internet',
      flag: { environmentNames: ['FLAG', 'CTF_FLAG'] },
      imagePullSecrets: ['registry'],
      security: { profile: 'Restricted', runtimeClassName: 'gvisor' },
    })
    await other.close()
  })

  test('a created instance is found even before the watch reports it', async () => {
    const spec = aSpec()
    await runtime.create(spec)
    expect(runtime.find(spec.id)?.state.kind).toBe('pending')
  })

  test('`exists` asks the cluster whether an instance exists', async () => {
    const [made, never] = [aSpec(), aSpec()]
    await runtime.create(made)
    expect([await runtime.exists?.(made.id), await runtime.exists?.(never.id)]).toEqual([true, false])
  })

  test('the condition `Ready` of an object determines whether the instance is ready, pending or failed', async () => {
    const spec = aSpec()
    await runtime.create(spec)
    const state = () => runtime.find(spec.id)?.state
    await setReady(spec.id, { conditions: [condition('False', 'Pulling', 'The image is being downloaded.')] })
    await expect.poll(state).toEqual({ kind: 'pending', reason: 'Pulling', message: 'The image is being downloaded.' })
    await setReady(spec.id, {
      conditions: [condition('True', 'Ready', 'The challenge is running.')],
      address: { host: '10.1.2.3', port: 8080 },
    })
    await expect.poll(state).toEqual({ kind: 'ready', host: '10.1.2.3', port: 8080 })
    // A failed instance that retains its address can continue to serve its connections.
    const address = { host: '10.1.2.3', port: 8080 }
    await setReady(spec.id, { conditions: [condition('False', 'CrashLooping', 'It stops again and again.')], address })
    await expect.poll(state).toEqual({ kind: 'failed', reason: 'CrashLooping', message: 'It stops again and again.', address })
  })

  test('an instance counts as removed once its deletion starts, even if a finalizer delays the deletion', async () => {
    const spec = aSpec()
    await runtime.create(spec)
    const setFinalizers = (finalizers: string[] | null) =>
      harness.client.patchMerge(challengeInstances, harness.namespace, deriveInstanceName(spec.id), { metadata: { finalizers } })
    await setFinalizers(['example.org/test'])
    await runtime.delete(spec.id)
    await expect.poll(() => runtime.find(spec.id)).toBeUndefined()
    expect((await objectOf(spec.id))?.metadata.deletionTimestamp).toBeDefined()
    expect(runtime.list()?.some(({ id }) => id === spec.id)).toBe(false)
    await setFinalizers(null)
  })

  test('a deletion removes the Secret even if the instance was never created', async () => {
    const spec = aSpec()
    await runtime.create(spec)
    await harness.client.delete(challengeInstances, harness.namespace, deriveInstanceName(spec.id))
    await runtime.delete(spec.id)
    expect(await harness.find(secrets, deriveInstanceName(spec.id))).toBeUndefined()
  })

  test('an instance with a name from an earlier version is found, and deleted with its Secret', async () => {
    const spec = aSpec()
    await runtime.create(spec)
    const former = deriveFormerInstanceName(spec.id)
    // Recreate the Secret and the ChallengeInstance under the earlier name, without the fields that the cluster adds.
    for (const resource of [secrets, challengeInstances] as Resource[]) {
      const { metadata, ...all } = (await harness.find(resource, deriveInstanceName(spec.id)))!
      const { status: _status, ...rest } = all as object & { status?: object }
      await harness.client.delete(resource, harness.namespace, deriveInstanceName(spec.id))
      await harness.client.create(resource, harness.namespace, { ...rest, metadata: { name: former, labels: metadata.labels } })
    }
    const next = harness.createRuntime()
    expect(await next.exists?.(spec.id)).toBe(true)
    await expect.poll(() => next.find(spec.id)?.state.kind, { timeout: 120_000 }).toBe('pending')
    await next.create(spec)
    expect(await objectOf(spec.id)).toBeUndefined()
    const later = new Date('2031-01-02T03:04:05.678Z')
    await next.extend(spec.id, later)
    expect(next.find(spec.id)?.expiresAt).toEqual(later)
    await next.delete(spec.id)
    for (const resource of [challengeInstances, secrets] as Resource[])
      expect(await harness.find(resource, former)).toBeUndefined()
    await next.close()
  })

  test('an instance that a user created by hand is ignored', async () => {
    await harness.client.create(challengeInstances, harness.namespace, {
      apiVersion: challengeInstances.apiVersion,
      kind: challengeInstances.kind,
      metadata: { name: 'by-hand', namespace: harness.namespace },
      spec: {
        gameId: 1,
        challengeId: 1,
        image: 'x',
        port: 80,
        resources: { cpuTenths: 1, memoryMb: 64, storageMb: 64 },
        expiresAt: '2030-01-01T00:00:00Z',
      },
    })
    const other = harness.createRuntime()
    await expect.poll(() => other.list()?.length, { timeout: 120_000 }).toBeGreaterThan(0)
    expect(other.list()?.every(({ id }) => /^[0-9a-f-]{36}$/.test(id))).toBe(true)
    await other.close()
  })

  test('the runtime throws if the API server refuses a request', async () => {
    await expect(runtime.create(aSpec({ containers: [anEntry({ port: 70_000 })] }))).rejects.toThrow('spec.port')
  })
})
