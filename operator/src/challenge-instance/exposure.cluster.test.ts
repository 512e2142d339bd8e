import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, createTestCluster, eventually, type TestCluster } from '../testing/cluster.ts'
import { services } from './types.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await createTestCluster()
})
afterAll(() => cluster?.close())

it('an instance exposed by NodePort answers on the node', async () => {
  const operator = await cluster.startOperator()
  const { metadata } = await cluster.create({ exposure: 'NodePort' }, { flag: 'flag{node}' })
  const { status } = await cluster.reason(metadata.name, 'Ready', 30_000)
  const { host, port } = status!.address!
  expect(port).toBe((await cluster.find(services, metadata.name))?.spec?.ports?.[0]?.nodePort)
  // The node learns of a new port a moment after the pod is ready.
  expect(await eventually('the node forwards the port', 15_000, () => ask(host, port, 'flag').catch(() => undefined))).toBe(
    'flag{node}',
  )
  await operator.stop()
})

it('an instance exposed by NodePort shows the public host where one is configured', async () => {
  const operator = await cluster.startOperator({ environment: { CAPSTAN_INSTANCE_PUBLIC_HOST: 'play.example.org' } })
  const { metadata } = await cluster.create({ exposure: 'NodePort' })
  const { status } = await cluster.reason(metadata.name, 'Ready', 30_000)
  expect(status?.address?.host).toBe('play.example.org')
  await operator.stop()
})

it('an instance whose service was deleted shows its new node port', async () => {
  const operator = await cluster.startOperator()
  const { metadata } = await cluster.create({ exposure: 'NodePort' })
  await cluster.reason(metadata.name, 'Ready', 30_000)
  await cluster.remove(services, metadata.name)
  const port = await eventually('the status shows the port of the new service', 20_000, async () => {
    const service = await cluster.find(services, metadata.name)
    const instance = await cluster.reason(metadata.name, 'Ready', 20_000)
    const nodePort = service?.spec?.ports?.[0]?.nodePort
    return nodePort !== undefined && instance.status?.address?.port === nodePort ? nodePort : undefined
  })
  expect(port).toBeGreaterThan(0)
  await operator.stop()
})
