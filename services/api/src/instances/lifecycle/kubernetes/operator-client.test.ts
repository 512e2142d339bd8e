import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createOperatorClient } from './operator-client.ts'

const request = { instance: 'ci-1', container: 'db', tailLines: 5, follow: true }
const token = 'a token of the tests'

async function start(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return createOperatorClient({ url: `http://127.0.0.1:${port}`, token })
}
const never = new AbortController().signal

test('the client sends its token to the operator, and returns the output of a container', async () => {
  const seen: unknown[] = []
  const operator = await start(({ url, headers }, response) => {
    seen.push(url, headers.authorization)
    response.end('one\n')
  })
  expect(await text((await operator.openLog(request, never))!)).toBe('one\n')
  expect(seen).toEqual(['/instances/ci-1/containers/db/log?tailLines=5&follow=true', `Bearer ${token}`])
})

test('the output of an unknown container is undefined; a refusal by the operator is an error', async () => {
  const answers = [404, 429]
  const operator = await start((_request, response) => void response.writeHead(answers.shift() ?? 500).end())
  expect(await operator.openLog(request, never)).toBeUndefined()
  await expect(operator.openLog(request, never)).rejects.toThrow('The operator answered with 429')
})

test('the connection to the operator is closed when the reader of the output disconnects', async () => {
  let isClosed = false
  const operator = await start((_request, response) => {
    response.write('one\n')
    response.once('close', () => {
      isClosed = true
    })
  })
  const leaving = new AbortController()
  const output = (await operator.openLog(request, leaving.signal))!
  const reading = text(output)
  leaving.abort()
  await expect(reading).rejects.toThrow()
  await expect.poll(() => isClosed).toBe(true)
})

test('the client returns the events of a container, or undefined for an unknown container', async () => {
  const event = { type: 'Warning', reason: 'BackOff', message: 'Back-off', count: 3, lastAt: '2030-01-01T00:00:00.000Z' }
  const answers = [200, 404]
  const seen: unknown[] = []
  const operator = await start(({ url }, response) => {
    seen.push(url)
    response.writeHead(answers.shift() ?? 500).end(JSON.stringify([event]))
  })
  const address = { instance: 'ci-1', container: 'db' }
  expect(await operator.listEvents(address)).toEqual([event])
  expect(await operator.listEvents(address)).toBeUndefined()
  await expect(operator.listEvents(address)).rejects.toThrow('The operator answered with 500')
  expect(seen[0]).toBe('/instances/ci-1/containers/db/events')
})
