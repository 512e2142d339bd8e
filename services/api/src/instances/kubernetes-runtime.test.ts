import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { isStatus } from './kubernetes/client.ts'
import { createKubernetesRuntime } from './kubernetes-runtime.ts'
import { aKubernetesSettings } from './testing/kubernetes-settings.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A runtime of the namespace `play` whose API server has no instances, and answers `metrics` when asked what pods use. */
const start = async (metrics: { status: number; body: object }) => {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url.includes('watch=')) {
      response.flushHeaders()
      return
    }
    if (url.startsWith('/apis/metrics.k8s.io/')) {
      asked.push(url)
      response.writeHead(metrics.status).end(JSON.stringify(metrics.body))
    } else response.end(JSON.stringify({ items: [], metadata: { resourceVersion: '1' } }))
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
  return { runtime, asked }
}

test('what instances use is asked of the metrics API in one request for their namespace', async () => {
  const usage = { cpu: '1500m', memory: '1Mi' }
  const items = [{ metadata: { name: 'ci-one' }, containers: [{ name: 'challenge', usage }] }]
  const { runtime, asked } = await start({ status: 200, body: { kind: 'PodMetricsList', items } })
  expect(await runtime.readUsage?.()).toEqual(new Map([['one', { cpuMillicores: 1_500, memoryBytes: 1_048_576 }]]))
  expect(asked).toEqual(['/apis/metrics.k8s.io/v1beta1/namespaces/play/pods'])
})

test.each([404, 503])('nothing is known where the metrics API answers %d', async (status) => {
  const { runtime } = await start({ status, body: { message: 'the server is currently unable to handle the request' } })
  expect(await runtime.readUsage?.()).toEqual(new Map())
})

test('a right that is missing is an error', async () => {
  const { runtime } = await start({ status: 403, body: { message: 'pods.metrics.k8s.io is forbidden' } })
  const failure = await runtime.readUsage?.().catch((error: unknown) => error)
  expect(isStatus(failure, 403)).toBe(true)
})
