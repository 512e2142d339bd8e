import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { readyReasons } from '@capstan/challenge-instance/reasons'
import { findCondition } from '@capstan/kubernetes/conditions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { brokenImage, crashImage, createTestCluster, type TestCluster } from '../testing/cluster.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await createTestCluster()
  await cluster.startOperator()
})
afterAll(() => cluster?.close())

const failures: [string, keyof typeof readyReasons, Partial<ChallengeInstanceSpec>][] = [
  ['an image that does not exist', 'ImagePullFailed', { image: 'registry.invalid/nothing:1' }],
  ['an image whose name is not valid', 'InvalidImage', { image: 'Not A Name' }],
  ['an image that runs as root', 'ImageRunsAsRoot', { image: crashImage }],
  ['an image whose program does not exist', 'ContainerFailed', { image: brokenImage }],
  ['a crash loop', 'CrashLooping', { image: crashImage, security: { profile: 'Baseline' } }],
  [
    'more memory than any node has',
    'Unschedulable',
    { resources: { cpuTenths: 1, memoryMb: 16_000_000, storageMb: 64, pids: 64 } },
  ],
  ['a runtime class that does not exist', 'PodRefused', { security: { profile: 'Restricted', runtimeClassName: 'nothing' } }],
  ['a flag whose Secret does not exist', 'FlagMissing', { flag: { secretName: 'nothing', environmentNames: ['FLAG'] } }],
  ['a port on which nothing listens', 'NotAnswering', { port: 4242 }],
]

describe.concurrent('the status of an instance that cannot start', () => {
  it.each(failures)('shows players the reason for %s: %s', async (_what, reason, spec) => {
    const { metadata } = await cluster.create(spec)
    const instance = await cluster.waitForReason(metadata.name, reason)
    const { conditions, startedAt } = instance.status!
    expect(findCondition(conditions, 'Ready')).toMatchObject({ status: 'False', message: readyReasons[reason].message })
    expect(findCondition(conditions, 'Reachable')).toMatchObject({ status: 'False', reason })
    expect(startedAt).toBeUndefined()
    await cluster.remove(challengeInstances, metadata.name)
    await cluster.waitUntilDeleted(metadata.name)
  })
})

it('the condition Reachable shows organizers the technical reason of a failure', async () => {
  const { metadata } = await cluster.create({ image: crashImage, security: { profile: 'Baseline' } })
  const instance = await cluster.waitForReason(metadata.name, 'CrashLooping')
  expect(findCondition(instance.status?.conditions, 'Reachable')?.message).toContain('exit code 3')
})

it('an instance that exceeds a quota has the reason QuotaExceeded, and starts once the quota allows it', async () => {
  const quotas = { apiVersion: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas' }
  const full = await createTestCluster()
  try {
    await full.startOperator()
    await full.client.create(quotas, full.namespace, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'full', namespace: full.namespace },
      spec: { hard: { pods: '0' } },
    })
    const { metadata } = await full.create()
    await full.waitForReason(metadata.name, 'QuotaExceeded')
    await full.remove(quotas, 'full')
    await full.waitForReason(metadata.name, 'Ready')
  } finally {
    await full.close()
  }
})
