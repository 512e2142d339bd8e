import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventLimits } from '@capstan/challenge-instance/events-request'
import { createKubeClient } from '@capstan/kubernetes/client'
import type { KubeEvent } from '@capstan/kubernetes/events'
import { expect, it, onTestFinished } from 'vitest'
import type { Caches } from '../challenge-instance/ports.ts'
import { anInstance } from '../testing/builders.ts'
import { createEventSource } from './event-source.ts'

const { resources } = anInstance().spec
const db = { name: 'db', image: 'db:1', resources, egress: 'None' as const, profile: 'Restricted' as const }
const instance = anInstance({ container: { name: 'page' }, containers: [db] })

type Fields = Partial<KubeEvent>

/**
 * Starts a stand-in of the API server that returns these events.
 * @returns a source, and the requested addresses
 */
async function start(events: Fields[], status = 200) {
  const asked: URL[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(new URL(url, 'http://api'))
    const items = events.map((event, index) => ({ metadata: { name: `event-${index}`, resourceVersion: '1' }, ...event }))
    const body = status === 200 ? { metadata: { resourceVersion: '1' }, items } : { reason: 'Forbidden', message: 'no right' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const access = { server: new URL(`http://127.0.0.1:${port}`), requestOptions: async () => ({}) }
  const client = createKubeClient(access, { userAgent: 'test' })
  onTestFinished(() => {
    client.close()
    server.closeAllConnections()
    server.close()
  })
  const instances = { get: (key: string) => (key === 'arena/ci-1' ? instance : undefined) }
  const caches = { instances } as unknown as Pick<Caches, 'instances'>
  const source = createEventSource({ client, caches, namespace: 'arena' })
  return { asked, list: (container: string) => source.list({ instance: 'ci-1', container }) }
}

it('reads the events of the container’s pod, and returns undefined for an unknown container', async () => {
  const { list, asked } = await start([])
  expect(await list('page')).toEqual([])
  expect(await list('db')).toEqual([])
  expect(await list('capture')).toBeUndefined()
  expect(asked.map(({ pathname }) => pathname)).toEqual(Array(2).fill('/apis/events.k8s.io/v1/namespaces/arena/events'))
  expect(asked.map(({ searchParams }) => searchParams.get('fieldSelector'))).toEqual([
    'regarding.kind=Pod,regarding.name=ci-1',
    'regarding.kind=Pod,regarding.name=ci-1-db',
  ])
})

it('returns the last time and the number of each event, the newest first', async () => {
  const { list } = await start([
    { type: 'Normal', reason: 'Scheduled', note: 'Assigned', eventTime: '2030-01-01T00:00:01.123456Z' },
    {
      ...{ type: 'Warning', reason: 'BackOff', note: 'Back-off', eventTime: null },
      ...{ deprecatedCount: 7, deprecatedLastTimestamp: '2030-01-01T00:05:00Z' },
    },
    {
      ...{ type: 'Warning', reason: 'Unhealthy', note: 'Probe failed', eventTime: '2030-01-01T00:00:00.000000Z' },
      series: { count: 3, lastObservedTime: '2030-01-01T00:02:00.000000Z' },
    },
  ])
  expect(await list('page')).toEqual([
    { type: 'Warning', reason: 'BackOff', message: 'Back-off', count: 7, lastAt: '2030-01-01T00:05:00.000Z' },
    { type: 'Warning', reason: 'Unhealthy', message: 'Probe failed', count: 3, lastAt: '2030-01-01T00:02:00.000Z' },
    { type: 'Normal', reason: 'Scheduled', message: 'Assigned', count: 1, lastAt: '2030-01-01T00:00:01.123Z' },
  ])
})

it('limits the number of events and the length of their texts', async () => {
  const long = 'x'.repeat(5_000)
  const at = (second: number) => `2030-01-01T00:00:${String(second).padStart(2, '0')}Z`
  const events = Array.from(
    { length: 30 },
    (_, second): Fields => ({ reason: long, note: long, deprecatedLastTimestamp: at(second) }),
  )
  const found = await (await start(events)).list('page')
  expect(found).toHaveLength(eventLimits.count)
  expect(found?.[0]).toMatchObject({ type: 'Normal', lastAt: '2030-01-01T00:00:29.000Z' })
  expect(found?.[0]?.reason).toHaveLength(eventLimits.reasonLength)
  expect(found?.[0]?.message).toHaveLength(eventLimits.messageLength)
})

it('fails if the API server refuses the events', async () => {
  await expect((await start([], 403)).list('page')).rejects.toThrow('no right')
})
