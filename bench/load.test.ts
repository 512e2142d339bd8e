import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sendLoad } from './load.ts'

/** Starts a server that responds with 200, and with 503 for `/broken`. @returns the paths of the received requests */
async function serve() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    response.statusCode = request.url === '/broken' ? 503 : 200
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  return { seen, port: (server.address() as AddressInfo).port }
}

test('each request is sent once, even over several connections', async () => {
  const server = await serve()
  const paths = Array.from({ length: 10 }, (_, index) => `/${index}`)
  await sendLoad(server, { clients: 3, requests: paths.map((path) => ({ path })) })
  expect(server.seen.toSorted()).toEqual(paths)
})

test('if requests fail, the load generator throws an error with the number of failed requests', async () => {
  const loaded = sendLoad(await serve(), { clients: 1, requests: [{ path: '/' }, { path: '/broken' }, { path: '/' }] })
  await expect(loaded).rejects.toThrow('1 of 3 requests failed: {"200":{"count":2},"503":{"count":1}}, 0 lost connections')
})
