import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { captureFinalizer, drainedAnnotation, instanceLabel } from '@capstan/challenge-instance/labels'
import { networkPolicies, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import type { KubeClient, Scope } from '@capstan/kubernetes/client'
import { createInformer } from '@capstan/kubernetes/informer'
import { createFakeClock } from '@capstan/kubernetes/testing/fake-clock'
import { silentLog } from '@capstan/kubernetes/testing/silent-log'
import type { DesiredObject, KubeObject, ObjectMeta, Resource } from '@capstan/kubernetes/types'
import { describe, expect, it } from 'vitest'
import { aMoment, aMomentPlusSeconds, anInstance, aPod, aService, captureSettings, someSettings } from '../testing/builders.ts'
import type { Caches, Ports } from './ports.ts'
import { reconcile } from './reconcile.ts'

const key = 'arena/ci-1'

/**
 * Creates caches with the objects that watches have reported (`known`), and an API server whose objects may be newer (`actual`).
 */
function setUp({
  known = [],
  actual,
  withCapture = false,
  deleted,
  failingDeletions = 0,
}: {
  known?: KubeObject[]
  actual?: KubeObject
  withCapture?: boolean
  /** Instance whose deletion the watch has reported. */
  deleted?: ChallengeInstance
  /** Number of deletions that the API server refuses before it accepts a deletion. */
  failingDeletions?: number
}) {
  const clock = createFakeClock(aMoment)
  const removed: string[] = []
  const asked: Scope[] = []
  let version = 1000
  let failures = 0
  let forgotten = false
  const stored = <T extends KubeObject>(object: object): T => {
    version += 1
    const { metadata: own } = object as KubeObject
    return { ...object, metadata: { ...own, resourceVersion: String(version) } } as T
  }
  const client = {
    apply: async (_resource: Resource, desired: DesiredObject) => stored(desired),
    applyStatus: async (_resource: Resource, object: KubeObject, status: object) => stored({ ...(actual ?? object), status }),
    listPage: async (_resource: Resource, scope: Scope) => {
      asked.push(scope)
      return { items: actual ? [actual] : [], resourceVersion: '2000', continueToken: undefined }
    },
    delete: async (resource: Resource, _namespace: string | undefined, name: string) => {
      if (failures++ < failingDeletions) throw new Error('The API server is overloaded')
      removed.push(`${resource.kind} ${name}`)
    },
  } as unknown as KubeClient
  const cache = <T extends KubeObject>(resource: Resource<T>) => {
    const informer = createInformer({ client, resource, scope: {}, clock, log: silentLog, random: () => 0 })
    for (const object of known) if (object.kind === resource.kind) informer.recordWrite(object as T)
    return informer
  }
  const caches: Caches = {
    instances: cache(challengeInstances),
    pods: cache(pods),
    services: cache(services),
    networkPolicies: cache(networkPolicies),
    secrets: cache(secrets),
  }
  const ports: Ports = {
    client,
    caches,
    events: { record: async () => undefined },
    settings: () => someSettings(withCapture ? { capture: captureSettings } : {}),
    nodePorts: undefined,
    lines: { search: () => undefined, stop: () => undefined },
    clock,
    log: silentLog,
    findDeletedInstance: () => (forgotten ? undefined : deleted),
    forgetDeletedInstance: () => {
      forgotten = true
    },
    onStarted: () => undefined,
  }
  return { pass: () => reconcile(key, ports), removed, asked }
}

const instance: ChallengeInstance = { ...anInstance({}, { status: { restarts: 0 } }), kind: challengeInstances.kind }
function changedTo(changes: Partial<ObjectMeta>): ChallengeInstance {
  return {
    ...instance,
    metadata: { ...instance.metadata, ...changes },
  }
}
const readyPod = { ...aPod({ ready: true }), kind: pods.kind }

describe('a service of an instance with exposure Proxy', () => {
  it('the service is removed if an earlier operator created it', async () => {
    const { pass, removed } = setUp({ known: [instance, readyPod, { ...aService(), kind: services.kind }] })
    await pass()
    expect(removed).toEqual(['Service ci-1'])
  })

  it('the service is ignored if another program created it', async () => {
    const foreign = { ...aService(), kind: services.kind, metadata: { ...aService().metadata, ownerReferences: [] } }
    const { pass, removed } = setUp({ known: [instance, readyPod, foreign] })
    expect((await pass()).failure).toBeUndefined()
    expect(removed).toEqual([])
  })
})

describe('a reconciliation that wrote the status of an instance', () => {
  it('the reconciliation is repeated at the next deadline', async () => {
    const { pass } = setUp({ known: [instance, readyPod] })
    expect(await pass()).toEqual({ requeueAfterMs: 60_000 })
  })

  it.each([
    ['extended', { generation: 2 }],
    ['deleted', { deletionTimestamp: aMomentPlusSeconds(0) }],
    ['annotated', { annotations: { touched: 'yes' } }],
    ['labelled', { labels: { touched: 'yes' } }],
  ])(
    'is repeated immediately if the instance was %s during the write, because no watch event will follow',
    async (_how, changes) => {
      const { pass } = setUp({ known: [instance, readyPod], actual: changedTo(changes) })
      expect(await pass()).toEqual({ requeueAfterMs: 0 })
      expect((await pass()).requeueAfterMs).not.toBe(0)
    },
  )

  it('the reconciliation is repeated immediately if the collector stored the recordings during the status write', async () => {
    const capture = { enabled: true, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 }
    const ending = { deletionTimestamp: aMomentPlusSeconds(0), finalizers: [captureFinalizer] }
    const read = { ...changedTo(ending), spec: { ...instance.spec, capture } }
    const stored = { ...read, metadata: { ...read.metadata, annotations: { [drainedAnnotation]: aMomentPlusSeconds(0) } } }
    const pod = { ...aPod({ ready: true, capture: { running: { startedAt: aMomentPlusSeconds(0) } } }), kind: pods.kind }
    expect(await setUp({ known: [read, pod], withCapture: true }).pass()).toEqual({ requeueAfterMs: 60_000 })
    expect(await setUp({ known: [read, pod], actual: stored, withCapture: true }).pass()).toEqual({ requeueAfterMs: 0 })
  })
})

describe('a deleted instance', () => {
  const owned = (resource: Resource, name: string, uid = 'uid-1'): KubeObject => ({
    ...aService(),
    kind: resource.kind,
    metadata: {
      ...aService().metadata,
      uid: `${name}-uid`,
      name,
      ownerReferences: [{ ...aService().metadata.ownerReferences![0]!, uid }],
    },
  })
  const ofInstance = [
    readyPod,
    owned(services, 'ci-1'),
    owned(networkPolicies, 'ci-1'),
    owned(networkPolicies, 'ci-1-network'),
    owned(networkPolicies, 'ci-2', 'uid-2'),
  ]

  it.each([['example.org/audit'], ['foregroundDeletion']])(
    'loses its objects although the finalizer %s of another program retains the instance',
    async (finalizer) => {
      const ending = changedTo({ deletionTimestamp: aMomentPlusSeconds(0), finalizers: [finalizer] })
      const { pass, removed } = setUp({ known: [ending, ...ofInstance] })
      expect(await pass()).toEqual({})
      expect(removed).toEqual(['Pod ci-1', 'Service ci-1', 'NetworkPolicy ci-1', 'NetworkPolicy ci-1-network'])
    },
  )

  it('loses its pods even if the API server refuses the first deletion', async () => {
    const { pass, removed } = setUp({ known: [readyPod], deleted: instance, failingDeletions: 1 })
    await expect(pass()).rejects.toThrow('overloaded')
    expect(removed).toEqual([])
    await pass()
    expect(removed).toEqual(['Pod ci-1'])
  })
})

describe('a flag’s Secret with no known instance', () => {
  const secretOf = (ageSeconds: number): KubeObject => ({
    kind: secrets.kind,
    metadata: {
      name: 'ci-1',
      namespace: 'arena',
      uid: 'secret-uid-1',
      resourceVersion: '50',
      creationTimestamp: aMomentPlusSeconds(-ageSeconds),
      labels: { [instanceLabel]: 'ci-1' },
    },
  })

  it('the Secret is retained until it is 45 seconds old', async () => {
    const { pass, removed } = setUp({ known: [secretOf(44)] })
    expect(await pass()).toEqual({ requeueAfterMs: 1000 })
    expect(removed).toEqual([])
  })

  it('the Secret is deleted when it is 45 seconds old', async () => {
    const { pass, removed, asked } = setUp({ known: [secretOf(45)] })
    expect(await pass()).toEqual({})
    expect(removed).toEqual(['Secret ci-1'])
    expect(asked).toEqual([{ namespace: 'arena', fieldSelector: 'metadata.name=ci-1', metadataOnly: true }])
  })

  it('the operator does not delete the Secret of an instance that is missing only in the cache', async () => {
    const { pass, removed } = setUp({ known: [secretOf(45)], actual: instance })
    expect(await pass()).toEqual({ requeueAfterMs: 45_000 })
    expect(removed).toEqual([])
  })
})
