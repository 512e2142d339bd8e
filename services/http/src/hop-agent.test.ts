import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HopAgent } from './hop-agent.ts'
import { createReplicaLookup } from './replica-lookup.ts'

async function startServer(host: string, port = 0) {
  const server = createServer((_request, response) => response.end('here')).listen(port, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

function replicasAt(...addresses: string[]) {
  return createReplicaLookup({ resolve: async () => addresses.map((address) => ({ address, family: 4 })) })
}

test('rejects a call if no replica of the called process accepts the connection', async () => {
  // A connection to an address of this network times out (RFC 5737). On a machine that has no route to the network, the
  // connection fails at once.
  const agent = new HopAgent({ connectMs: 50, replicas: replicasAt('192.0.2.1') })
  const [error] = await once(request({ host: 'api', port: 1, agent }).end(), 'error')
  expect(['ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH', 'ECONNREFUSED']).toContain(error.code)
})

test('sends a call to another replica if the first replica refuses the connection, and counts the retry', async () => {
  const port = await startServer('127.0.0.2')
  let retries = 0
  const agent = new HopAgent({ replicas: replicasAt('127.0.0.1', '127.0.0.2', '127.0.0.3'), onRetry: () => (retries += 1) })
  for (let call = 0; call < 6; call += 1) {
    const [answer] = await once(request({ host: 'api', port, agent, method: 'POST' }).end('x'), 'response')
    expect(answer.statusCode).toBe(200)
    answer.resume()
    await once(answer, 'end')
  }
  expect(retries).toBeGreaterThan(0)
})

test('starts the connection timeout only after the name lookup', async () => {
  const port = await startServer('127.0.0.1')
  const resolved = Promise.withResolvers<{ address: string; family: number }[]>()
  const agent = new HopAgent({ connectMs: 60_000, replicas: createReplicaLookup({ resolve: () => resolved.promise }) })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const call = request({ host: 'api', port, agent }).end()
  vi.advanceTimersByTime(4_000)
  expect(vi.getTimerCount()).toBe(1)
  vi.useRealTimers()
  resolved.resolve([{ address: '127.0.0.1', family: 4 }])
  const [answer] = await once(call, 'response')
  expect(answer.statusCode).toBe(200)
})

test('applies the connection timeout only until the connection is open', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = createServer((_request, response) => {
    vi.advanceTimersByTime(60_000)
    response.end('here')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const call = request({ host: '127.0.0.1', port, agent: new HopAgent({ connectMs: 50 }) }).end()
  const [answer] = await once(call, 'response')
  expect(answer.statusCode).toBe(200)
  server.close()
})
