import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { services } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestCluster, sendLineAndReadReply, type TestCluster, waitForValue } from '../testing/cluster.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await createTestCluster()
})
afterAll(() => cluster?.close())

it('an instance exposed by NodePort answers on the node', async () => {
  const operator = await cluster.startOperator()
  const { metadata } = await cluster.create({ exposure: 'NodePort' }, { flag: 'flag{node}' })
  const { status } = await cluster.waitForReason(metadata.name, 'Ready')
  const { host, port } = status!.address!
  expect(port).toBe((await cluster.find(services, metadata.name))?.spec?.ports?.[0]?.nodePort)
  // The node starts to forward a new port a moment after the pod is ready.
  expect(
    await waitForValue('the node forwards the port', () => sendLineAndReadReply(host, port, 'flag', 2000).catch(() => undefined)),
  ).toBe('flag{node}')
  await operator.stop()
})

it('an instance exposed by NodePort shows the public host if a public host is configured', async () => {
  const operator = await cluster.startOperator({ environment: { CAPSTAN_INSTANCE_PUBLIC_HOST: 'play.example.org' } })
  const { metadata } = await cluster.create({ exposure: 'NodePort' })
  const { status } = await cluster.waitForReason(metadata.name, 'Ready')
  expect(status?.address?.host).toBe('play.example.org')
  await operator.stop()
})

it('an instance shows its new node port after its service was deleted', async () => {
  const operator = await cluster.startOperator()
  const { metadata } = await cluster.create({ exposure: 'NodePort' })
  await cluster.waitForReason(metadata.name, 'Ready')
  await cluster.remove(services, metadata.name)
  const port = await waitForValue('the status shows the port of the new service', async () => {
    const service = await cluster.find(services, metadata.name)
    const instance = await cluster.waitForReason(metadata.name, 'Ready')
    const nodePort = service?.spec?.ports?.[0]?.nodePort
    return nodePort !== undefined && instance.status?.address?.port === nodePort ? nodePort : undefined
  })
  expect(port).toBeGreaterThan(0)
  await operator.stop()
})

it('instances get unused node ports of the range, and wait with a reported reason if none is left', async () => {
  // The API server prefers to assign ports in the upper part of its range. This test uses ports at the start of the range, which
  // the API server hardly ever assigns.
  const range = { first: 30_041, last: 30_043 }
  const stranger: DesiredObject = {
    apiVersion: services.apiVersion,
    kind: services.kind,
    metadata: { name: `${cluster.namespace}-stranger`, namespace: 'default' },
    spec: { type: 'NodePort', ports: [{ port: 80, nodePort: range.first + 1 }] },
  }
  await cluster.client.create(services, 'default', stranger)
  try {
    const operator = await cluster.startOperator({ environment: { CAPSTAN_NODE_PORT_RANGE: `${range.first}-${range.last}` } })
    // If another service uses a port, the operator tries this port again after a minute.
    const created = await Promise.all([1, 2].map(() => cluster.create({ exposure: 'NodePort' })))
    const ready = await Promise.all(created.map(({ metadata }) => cluster.waitForReason(metadata.name, 'Ready')))
    expect(ready.map(({ status }) => status?.address?.port).sort()).toEqual([range.first, range.last])

    const { metadata } = await cluster.create({ exposure: 'NodePort' })
    const full = await cluster.waitForReason(metadata.name, 'QuotaExceeded')
    expect(JSON.stringify(full.status?.conditions)).toContain(`Every node port from ${range.first} to ${range.last} is taken`)
    await cluster.remove(challengeInstances, created[0]!.metadata.name)
    const { status } = await cluster.waitForReason(metadata.name, 'Ready')
    expect(status?.address?.port).toBe(ready[0]!.status?.address?.port)

    // This event is the operator's last write during the start of an instance.
    await cluster.waitForEvent(metadata.uid, 'Ready')
    const writes = await operator.writes()
    await cluster.reconcileOnce(operator, metadata.name)
    expect(await operator.writes()).toBe(writes)
    await operator.stop()
  } finally {
    await cluster.client.delete(services, 'default', stranger.metadata.name)
  }
})
