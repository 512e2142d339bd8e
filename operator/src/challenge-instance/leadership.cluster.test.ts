import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { leaseName } from '@capstan/challenge-instance/names'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestCluster, type TestCluster, waitForValue } from '../testing/cluster.ts'

const leases: Resource<KubeObject & { spec: { holderIdentity: string } }> = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
}

let cluster: TestCluster

beforeAll(async () => {
  cluster = await createTestCluster()
})
afterAll(() => cluster?.close())

describe('several operators', () => {
  it('an operator hands over leadership, and running instances remain unchanged', async () => {
    const first = await cluster.startOperator({ identity: 'first', strictLease: true })
    const second = await cluster.startOperator({ identity: 'second', standby: true, strictLease: true })
    const { metadata } = await cluster.create()
    const { status } = await cluster.waitForReason(metadata.name, 'Ready')
    const pod = await cluster.find(pods, metadata.name)
    expect(second.operator.isLeader()).toBe(false)
    await first.stop()
    await waitForValue('the second leads', async () => (second.operator.isLeader() ? true : undefined))
    const next = await cluster.create()
    await cluster.waitForReason(next.metadata.name, 'Ready')
    expect((await cluster.find(pods, metadata.name))?.metadata.uid).toBe(pod?.metadata.uid)
    expect((await cluster.find(challengeInstances, metadata.name))?.status).toEqual(status)
    await second.stop()
  })

  it('an operator ends when another process takes the lease', async () => {
    const first = await cluster.startOperator({ identity: 'first', strictLease: true })
    const lease = await cluster.find(leases, leaseName)
    await waitForValue('the lease is taken by force', async () => {
      const current = (await cluster.find(leases, leaseName)) ?? lease
      if (!current) return undefined
      return cluster.client
        .update(leases, { ...current, spec: { ...current.spec, holderIdentity: 'usurper' } })
        .catch(() => undefined)
    })
    await expect(first.ended).resolves.toBe('lost')
    await cluster.remove(leases, leaseName)
  })

  it('two operators that lead at the same time create no duplicates and do not undo each other’s writes', async () => {
    // Give the second operator a lease in a second namespace, so that the operators lead at the same time.
    const elsewhere = await createTestCluster()
    try {
      const one = await cluster.startOperator({ identity: 'one' })
      const two = await cluster.startOperator({
        identity: 'two',
        environment: { CAPSTAN_PLATFORM_NAMESPACE: elsewhere.namespace },
      })
      const created = await Promise.all(Array.from({ length: 6 }, () => cluster.create({}, { flag: 'flag{x}' })))
      for (const { metadata } of created) await cluster.waitForReason(metadata.name, 'Ready')
      const names = (await cluster.list(pods)).map(({ metadata }) => metadata.name)
      for (const { metadata } of created) expect(names.filter((name) => name === metadata.name)).toHaveLength(1)
      // If the statuses no longer change, neither operator undoes the writes of the other operator.
      const versions = async () => (await cluster.list(challengeInstances)).map(({ metadata }) => metadata.resourceVersion)
      let last = ''
      let since = performance.now()
      await waitForValue('no instance changes for two seconds', async () => {
        const now = JSON.stringify(await versions())
        if (now !== last) since = performance.now()
        last = now
        return performance.now() - since > 2000 ? true : undefined
      })
      for (const { metadata } of created) await cluster.remove(challengeInstances, metadata.name)
      for (const { metadata } of created) await cluster.waitUntilDeleted(metadata.name)
      await one.stop()
      await two.stop()
    } finally {
      await elsewhere.close()
    }
  })
})
