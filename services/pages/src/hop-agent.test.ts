import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HopAgent } from './hop-agent.ts'

test('a process that nobody finds fails the call instead of holding it', async () => {
  const call = request({ host: 'gone.invalid', port: 1, agent: new HopAgent({ connectMs: 50 }), lookup: () => {} }).end()
  const [error] = await once(call, 'error')
  expect(error).toMatchObject({ code: 'ETIMEDOUT' })
})

test('a connection that is there stays, however long its answer takes', async () => {
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
