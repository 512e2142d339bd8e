import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import { systemClock } from '@capstan/kubernetes/clock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasFinalizer } from '../challenge-instance/finalizer.ts'
import { captureImage, createTestCluster, type TestCluster, waitForValue } from '../testing/cluster.ts'
import { type EndInstancesOptions, endInstances } from './end-instances.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await createTestCluster()
  await cluster.startOperator({ environment: { CAPSTAN_CAPTURE_IMAGE: captureImage, CAPSTAN_CAPTURE_DRAIN_SECONDS: '4' } })
})
afterAll(() => cluster?.close())

async function record(): Promise<string> {
  const capture = { enabled: true, maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 }
  const { metadata } = await cluster.create({ capture })
  await cluster.waitForReason(metadata.name, 'Ready')
  await waitForValue('the instance has its finalizer', async () => {
    const found = await cluster.find(challengeInstances, metadata.name)
    return found && hasFinalizer(found) ? true : undefined
  })
  return metadata.name
}
function end(timeoutMs: number, scope: EndInstancesOptions['scope'] = 'recording') {
  return endInstances({
    client: cluster.client,
    clock: systemClock,
    namespace: cluster.namespace,
    scope,
    timeoutMs,
    signal: AbortSignal.timeout(60_000),
  })
}

describe('the uninstall job', () => {
  it('deletes recorded instances, and waits until the operator has removed their finalizers', async () => {
    const name = await record()
    expect(await end(30_000)).toBe(0)
    await cluster.waitUntilDeleted(name)
  })

  it('removes the remaining finalizers at the timeout, and does not change instances whose traffic is not recorded', async () => {
    const plain = await cluster.create()
    const name = await record()
    expect(await end(0)).toBe(1)
    await cluster.waitUntilDeleted(name)
    expect(await cluster.find(challengeInstances, plain.metadata.name)).toBeDefined()
  })

  it('deletes all instances and waits for their pods if the namespace remains', async () => {
    const { metadata } = await cluster.create()
    await cluster.waitForReason(metadata.name, 'Ready')
    await record()
    expect(await end(30_000, 'all')).toBe(0)
    expect([await cluster.list(challengeInstances), await cluster.list(pods)]).toEqual([[], []])
  })
})
