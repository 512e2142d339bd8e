import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { networkPolicies, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createTestCluster,
  events,
  type RunningOperator,
  sendLineAndReadReply,
  type TestCluster,
  waitForValue,
} from '../testing/cluster.ts'

let cluster: TestCluster
let operator: RunningOperator

beforeAll(async () => {
  cluster = await createTestCluster()
  operator = await cluster.startOperator()
})
afterAll(() => cluster?.close())

describe('a single instance on a real cluster', () => {
  it('an instance causes at most 12 writes from its creation to its end, and repeated reconciliation causes none', async () => {
    const before = await operator.writes()
    const { metadata } = await cluster.create({}, { flag: 'flag{x}' })
    await cluster.waitForReason(metadata.name, 'Ready')
    await cluster.waitForEvent(metadata.uid, 'Ready')
    await cluster.reconcileOnce(operator, metadata.name)
    const ready = await operator.writes()
    await cluster.reconcileOnce(operator, metadata.name)
    await cluster.reconcileOnce(operator, metadata.name)
    expect(await operator.writes()).toBe(ready)
    await cluster.remove(challengeInstances, metadata.name)
    await cluster.waitUntilDeleted(metadata.name)
    expect((await operator.writes()) - before).toBeLessThanOrEqual(12)
  })
})

describe.concurrent('an instance on a real cluster', () => {
  it('an instance becomes ready, and its port answers with the flag and the team', async () => {
    const { metadata } = await cluster.create({}, { flag: 'flag{real}' })
    const instance = await cluster.waitForReason(metadata.name, 'Ready')
    const { address, startedAt, restarts, observedGeneration, conditions } = instance.status!
    expect(address?.port).toBe(1337)
    expect(await sendLineAndReadReply(address!.host, address!.port, 'flag')).toBe('flag{real}')
    expect(await sendLineAndReadReply(address!.host, address!.port, 'team')).toBe('7')
    expect(Date.parse(startedAt!)).toBeGreaterThanOrEqual(Date.parse(metadata.creationTimestamp))
    expect(restarts).toBe(0)
    expect(observedGeneration).toBe(1)
    expect(conditions!.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'Ready=True',
      'PodScheduled=True',
      'Reachable=True',
    ])
  })

  it('an instance lists its addresses for players while it is ready, and these addresses cannot be changed', async () => {
    const ways = [
      { way: 'Tls' as const, address: '*.play.example.org:1337' },
      ...Array.from({ length: 15 }, (_, at) => ({
        way: 'Http' as const,
        address: `https://*-${8000 + at}.play.example.org/`,
        port: 8000 + at,
      })),
    ]
    const { metadata } = await cluster.create({ ways })
    expect((await cluster.waitForReason(metadata.name, 'Ready')).status?.ways).toEqual(ways)
    const change = { spec: { ways: [{ way: 'Tcp', address: 'play.example.org:31000' }] } }
    await expect(cluster.client.patchMerge(challengeInstances, cluster.namespace, metadata.name, change)).rejects.toThrow(
      'only expiresAt can change',
    )
    // Instances of earlier versions lack the field `ways`. The API server still accepts them, and their end can be changed.
    const former = await cluster.create({})
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    await cluster.client.patchMerge(challengeInstances, cluster.namespace, former.metadata.name, { spec: { expiresAt } })
    expect((await cluster.waitForReason(former.metadata.name, 'Ready')).status).not.toHaveProperty('ways')
  })

  it('never shows the flag in a ChallengeInstance, a pod or an event', async () => {
    const { metadata } = await cluster.create({}, { flag: 'flag{hidden}' })
    await cluster.waitForReason(metadata.name, 'Ready')
    const objects = [...(await cluster.list(challengeInstances)), ...(await cluster.list(pods)), ...(await cluster.list(events))]
    expect(JSON.stringify(objects)).not.toContain('flag{hidden}')
  })

  // Maximum delay of the deletion. This delay allows for a slow machine, but is shorter than the minute between two
  // regular checks. A deletion within this delay therefore proves that the expiry triggered it.
  const latestMs = 55_000

  it('an instance is deleted together with its pod and other objects when it expires', async () => {
    const { metadata } = await cluster.create({}, { flag: 'flag{x}' })
    await cluster.waitForReason(metadata.name, 'Ready')
    const endsAtMs = await cluster.setEnd(metadata.name, 5000)
    await cluster.waitUntilDeleted(metadata.name)
    await cluster.waitForEvent(metadata.uid, 'Ready')
    const lateMs = (await cluster.waitForEvent(metadata.uid, 'Expired')) - endsAtMs
    expect(lateMs).toBeGreaterThanOrEqual(0)
    expect(lateMs).toBeLessThan(latestMs)
  })

  it('an instance continues to run if its end is postponed', async () => {
    const { metadata } = await cluster.create()
    await cluster.waitForReason(metadata.name, 'Ready')
    await cluster.setEnd(metadata.name, 20_000)
    await waitForValue('the operator has seen the end that is moved', async () => {
      const instance = await cluster.find(challengeInstances, metadata.name)
      return instance?.status?.observedGeneration === instance?.metadata.generation ? true : undefined
    })
    const endsAtMs = await cluster.setEnd(metadata.name, 25_000)
    await cluster.waitUntilDeleted(metadata.name)
    const lateMs = (await cluster.waitForEvent(metadata.uid, 'Expired')) - endsAtMs
    expect(lateMs).toBeGreaterThanOrEqual(0)
    expect(lateMs).toBeLessThan(latestMs)
  })

  it('an instance has no remaining objects if it is deleted during its start', async () => {
    const created = await Promise.all(Array.from({ length: 5 }, () => cluster.create({}, { flag: 'flag{x}' })))
    // Delete each instance at a different moment of its start: before, during or after the operator's writes.
    await Promise.all(
      created.map(async ({ metadata }, index) => {
        if (index > 0) await waitForValue('its pod exists', () => cluster.find(pods, metadata.name))
        if (index > 2)
          await waitForValue('its status exists', async () => (await cluster.find(challengeInstances, metadata.name))?.status)
        await cluster.remove(challengeInstances, metadata.name)
      }),
    )
    for (const { metadata } of created) await cluster.waitUntilDeleted(metadata.name)
  })

  it('has no token, capability or privilege, and has limits for all resources', async () => {
    const { metadata } = await cluster.create()
    const pod = (await waitForValue('its pod exists', () => cluster.find(pods, metadata.name))) as KubeObject & {
      spec: object
    }
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true },
          resources: { limits: { cpu: '1', memory: '128Mi', 'ephemeral-storage': '64Mi' } },
        },
      ],
    })
    expect(JSON.stringify(pod.spec)).not.toContain('serviceAccountToken')
  })

  it('an instance is the owner of its objects, so that garbage collection deletes them', async () => {
    const { metadata } = await cluster.create({ exposure: 'NodePort' }, { flag: 'flag{x}' })
    await cluster.waitForReason(metadata.name, 'Ready')
    for (const resource of [pods, services, networkPolicies, secrets] as Resource[]) {
      const child = await cluster.find(resource, metadata.name)
      expect(child?.metadata.ownerReferences, resource.kind).toMatchObject([
        { kind: challengeInstances.kind, uid: metadata.uid, controller: true },
      ])
    }
  })

  it('an instance shows its readiness in the output of kubectl', async () => {
    const { metadata } = await cluster.create()
    const instance = await cluster.waitForReason(metadata.name, 'Ready')
    expect(findCondition(instance.status?.conditions, 'Ready')?.message).toBe('The challenge is running.')
  })
})
