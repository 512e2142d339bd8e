import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { load, pace } from './load.ts'

const serve = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test('sends each request once over all connections', async () => {
  const seen: string[] = []
  const port = await serve((request, response) => {
    seen.push(request.url ?? '')
    response.end('ok')
  })
  const paths = Array.from({ length: 10 }, (_, index) => `/${index}`)
  const report = await load({ port, clients: 3, requests: paths.map((path) => ({ path })) })
  expect(report).toMatchObject({ answered: 10, failures: {} })
  expect(report.latenciesMs).toHaveLength(10)
  expect(seen.toSorted()).toEqual(paths)
})

test('reads the answer to a POST at the address that the first answer names', async () => {
  const port = await serve((request, response) => {
    request.resume()
    response.end(request.method === 'POST' ? request.url?.at(-1) : `"verdict of ${request.url}"`)
  })
  const answers: string[] = []
  const report = await load({
    port,
    clients: 2,
    requests: [6, 7, 8, 9].map((id) => ({ method: 'POST', path: `/flags/${id}`, body: '{}', thenGet: '/status/' })),
    onAnswer: (request, body) => answers.push(`${request.path} ${body}`),
  })
  expect(report).toMatchObject({ answered: 4, failures: {} })
  expect(answers.toSorted()).toEqual([6, 7, 8, 9].map((id) => `/flags/${id} "verdict of /status/${id}"`))
})

test('counts failures by status', async () => {
  const port = await serve((request, response) => {
    response.statusCode = request.url === '/2' ? 503 : 200
    response.end()
  })
  const report = await load({ port, clients: 1, requests: [1, 2, 3].map((id) => ({ path: `/${id}` })) })
  expect(report).toMatchObject({ answered: 2, failures: { 503: 1 } })
})

test('repeats the requests up to the wanted amount at a given rate', async () => {
  const port = await serve((_, response) => void response.end())
  expect(await pace({ port, requests: [{ path: '/' }], perSecond: 30 }, 2)).toMatchObject({ answered: 60, failures: {} })
})
