import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { instanceIdLabel } from '@capstan/challenge-instance/labels'
import { deriveFormerInstanceName, deriveInstanceName } from '@capstan/challenge-instance/names'
import { hasErrorStatus } from '@capstan/kubernetes/client'
import { serializeError } from '@capstan/tracing/serialize-error'
import { afterEach, expect, test } from 'vitest'
import { createKubernetesRuntime } from './kubernetes-runtime.ts'
import { anInstanceSpec } from './testing/instance-spec.ts'
import { aKubernetesSettings } from './testing/kubernetes-settings.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

type Answers = Readonly<{
  metrics?: Readonly<{ status: number; body: object }>
  /** Map from the name of each existing ChallengeInstance to the id of its row. */
  objects?: Readonly<Record<string, string>>
  /** Names of the containers of each object, if it has several. */
  containers?: readonly [first: string, ...further: string[]]
  /** Returns the body of the response with which the API server refuses to create an object. @param sent object as JSON */
  refuses?: (sent: string) => object
}>

/**
 * Starts a runtime for the namespace `play` with a fake API server. The server records the requests, and responds with 404 to
 * writes to unknown objects.
 */
async function start({ metrics = { status: 404, body: {} }, objects = {}, containers, refuses }: Answers) {
  const asked: string[] = []
  const writes: string[] = []
  const present = new Map(Object.entries(objects))
  const anObject = ([name, id]: [string, string]) => ({
    metadata: { name, resourceVersion: '1', labels: { [instanceIdLabel]: id } },
    spec: {
      expiresAt: '2030-01-01T00:00:00.000Z',
      ...(containers && {
        container: { name: containers[0] },
        containers: containers.slice(1).map((further) => ({ name: further, resources: {}, egress: 'None', profile: 'Baseline' })),
        security: {},
        capture: { enabled: false },
      }),
    },
  })
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    if (refuses && method === 'POST') {
      asked.push(url)
      const sent = Buffer.concat(await Array.fromAsync(request)).toString()
      response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify(refuses(sent)))
      return
    }
    const [, kind, name = ''] = /\/namespaces\/play\/(\w+)\/([^?]+)/.exec(url) ?? []
    if (method !== 'GET') {
      writes.push(`${method} ${kind} ${name}`)
      const id = present.get(name)
      if (method === 'DELETE') present.delete(name)
      response.writeHead(id === undefined ? 404 : 200).end(JSON.stringify(id === undefined ? {} : anObject([name, id])))
      return
    }
    response.setHeader('content-type', 'application/json')
    if (url.includes('watch=')) {
      response.flushHeaders()
      return
    }
    if (url.startsWith('/apis/metrics.k8s.io/')) {
      asked.push(url)
      response.writeHead(metrics.status).end(JSON.stringify(metrics.body))
    } else response.end(JSON.stringify({ items: [...present].map(anObject), metadata: { resourceVersion: '1' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const runtime = createKubernetesRuntime({
    access: { server: new URL(`http://127.0.0.1:${port}`), requestOptions: async () => ({}) },
    settings: aKubernetesSettings('play'),
    log: { warn: () => {} },
  })
  closers.push(() => runtime.close())
  return { runtime, asked, writes }
}

test('one request to the metrics API reads the usage of all instances', async () => {
  const usage = { cpu: '1500m', memory: '1Mi' }
  const measured = (name: string) => ({ metadata: { name }, containers: [{ name: 'challenge', usage }] })
  const items = [
    measured(deriveInstanceName('one')),
    measured(deriveFormerInstanceName('two')),
    measured(deriveInstanceName('three')),
  ]
  const { runtime, asked } = await start({
    metrics: { status: 200, body: { kind: 'PodMetricsList', metadata: {}, items } },
    objects: { [deriveInstanceName('one')]: 'one', [deriveFormerInstanceName('two')]: 'two' },
  })
  await expect.poll(() => runtime.list()).toHaveLength(2)
  const use = new Map([['challenge', { cpuMillicores: 1_500, memoryBytes: 1_048_576 }]])
  expect(await runtime.readUsage?.()).toEqual(
    new Map([
      ['one', use],
      ['two', use],
    ]),
  )
  expect(asked).toEqual(['/apis/metrics.k8s.io/v1beta1/namespaces/play/pods'])
})

test('the usage of each of several containers is read from the metrics of its pod', async () => {
  const name = deriveInstanceName('one')
  const measured = (pod: string, cpu: string) => ({
    metadata: { name: pod },
    containers: [{ name: 'challenge', usage: { cpu, memory: '1Mi' } }],
  })
  const items = [measured(name, '10m'), measured(`${name}-db`, '20m'), measured(`${name}-other`, '30m')]
  const { runtime } = await start({
    metrics: { status: 200, body: { kind: 'PodMetricsList', metadata: {}, items } },
    objects: { [name]: 'one' },
    containers: ['page', 'db'],
  })
  await expect.poll(() => runtime.list()).toHaveLength(1)
  const use = (cpuMillicores: number) => ({ cpuMillicores, memoryBytes: 1_048_576 })
  expect((await runtime.readUsage?.())?.get('one')).toEqual(
    new Map([
      ['page', use(10)],
      ['db', use(20)],
    ]),
  )
})

test.each([404, 503])('the usage is unknown if the metrics API responds with status %d', async (status) => {
  const { runtime } = await start({
    metrics: { status, body: { message: 'the server is currently unable to handle the request' } },
  })
  expect(await runtime.readUsage?.()).toBeUndefined()
})

test('the usage query throws if the permission to read metrics is missing', async () => {
  const { runtime } = await start({ metrics: { status: 403, body: { message: 'pods.metrics.k8s.io is forbidden' } } })
  const failure = await runtime.readUsage?.().catch((error: unknown) => error)
  expect(hasErrorStatus(failure, 403)).toBe(true)
})

test('the name of an object is derived from the UUID of its row, but does not contain the UUID', () => {
  const id = '5c1a1a52-6d1c-4e4f-9a4e-000000000001'
  const name = deriveInstanceName(id)
  expect(name).toMatch(/^ci-[0-9a-f]{32}$/)
  expect(deriveInstanceName(id)).toBe(name)
  expect(deriveInstanceName('5c1a1a52-6d1c-4e4f-9a4e-000000000002')).not.toBe(name)
  const digits = name.slice('ci-'.length)
  const plain = id.replaceAll('-', '')
  for (let at = 0; at + 8 <= plain.length; at += 1) expect(digits).not.toContain(plain.slice(at, at + 8))
})

test('an object with a name from an earlier version can be found, extended, released and deleted', async () => {
  const name = deriveFormerInstanceName('old')
  const { runtime, writes } = await start({ objects: { [name]: 'old' } })
  await expect.poll(() => runtime.find('old')?.id).toBe('old')
  expect(await runtime.exists?.('old')).toBe(true)
  await runtime.extend('old', new Date('2031-01-01T00:00:00.000Z'))
  await runtime.captures?.release('old', new Date('2030-12-31T00:00:00.000Z'))
  await runtime.delete('old')
  expect(writes).toEqual([
    `PATCH challengeinstances ${name}`,
    `PATCH challengeinstances ${name}`,
    `DELETE challengeinstances ${name}`,
    `DELETE secrets ${name}`,
  ])
})

test('an instance whose object was never observed is deleted under its current and its former name', async () => {
  const { runtime, writes } = await start({})
  await runtime.delete('unseen')
  expect(writes).toEqual(
    [deriveInstanceName('unseen'), deriveFormerInstanceName('unseen')].flatMap((name) => [
      `DELETE challengeinstances ${name}`,
      `DELETE secrets ${name}`,
    ]),
  )
})

test('an object is ignored if its label contains the id of a row but its name does not match', async () => {
  const { runtime } = await start({ objects: { 'by-hand': 'row' } })
  await expect.poll(() => runtime.list()).toEqual([])
  expect(runtime.find('row')).toBeUndefined()
})

test('an instance is created only if the CRD defines every field of the object', async () => {
  const { runtime, asked } = await start({ refuses: () => ({ kind: 'Status', message: 'unknown field "spec.containers"' }) })
  await expect(runtime.create(anInstanceSpec({ flag: undefined }))).rejects.toThrow('unknown field')
  expect(asked).toEqual([expect.stringMatching(/\/namespaces\/play\/[a-z]+\?fieldValidation=Strict$/)])
})

test('an error contains no flag, even if the API server quotes the Secret in its refusal', async () => {
  const refuses = (sent: string) => ({ kind: 'Status', message: `admission webhook denied ${sent}`, reason: 'Invalid' })
  const { runtime } = await start({ refuses })
  const flag = 'flag{planted}'
  const failure = await runtime.create(anInstanceSpec({ flag })).catch((error: unknown) => error)
  expect(hasErrorStatus(failure, 422)).toBe(true)
  const printed = JSON.stringify(serializeError(failure)) + inspect(failure, { showHidden: true, depth: 9 })
  expect(printed).not.toContain(flag)
  expect(printed).not.toContain(Buffer.from(flag).toString('base64'))
})
