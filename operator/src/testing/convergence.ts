import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { networkPolicies, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { expect } from 'vitest'
import { type RunningOperator, sendLineAndReadReply, type TestCluster, waitForValue } from './cluster.ts'

/** Assertions for tests that simulate a fault. They prove that the operator has repaired everything. */

const children: Resource[] = [pods, services, networkPolicies, secrets] as Resource[]

/** Waits up to a minute until every object belongs to an existing instance. */
export async function expectNoOrphans(cluster: TestCluster): Promise<void> {
  await waitForValue('nothing is left without its instance', async () => {
    const instances = new Set((await cluster.list(challengeInstances)).map(({ metadata }) => metadata.name))
    const objects = (await Promise.all(children.map((resource) => cluster.list(resource as Resource<KubeObject>)))).flat()
    return objects.every(({ metadata }) => instances.has(metadata.name)) ? true : undefined
  })
}

/** Checks that the instance sends its flag and has one pod. Also checks that a repeated reconciliation writes nothing. */
export async function expectInstanceConverged(cluster: TestCluster, operator: RunningOperator, name: string): Promise<void> {
  // Wait, because the status may be out of date for a moment.
  const answer = await waitForValue('the instance answers', async () => {
    const { status } = (await cluster.find(challengeInstances, name)) ?? {}
    return status?.address && sendLineAndReadReply(status.address.host, status.address.port, 'flag', 2000).catch(() => undefined)
  })
  expect(answer).toBe('flag{kept}')
  await cluster.waitForReason(name, 'Ready')
  expect((await cluster.list(pods)).filter(({ metadata }) => metadata.name === name)).toHaveLength(1)
  await waitForValue('reconciling again writes nothing', async () => {
    const before = await operator.writes()
    await cluster.reconcileOnce(operator, name)
    await cluster.reconcileOnce(operator, name)
    return (await operator.writes()) === before ? true : undefined
  })
}

/** Deletes the instance, and checks that none of its objects remain. */
export async function expectInstanceEnds(cluster: TestCluster, name: string): Promise<void> {
  await cluster.remove(challengeInstances, name)
  await cluster.waitUntilDeleted(name)
}
