import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createOperatorLogs } from './operator-logs.ts'

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
  return createOperatorLogs({ url: `http://127.0.0.1:${port}`, token })
}
const never = new AbortController().signal

test('asks the operator with the token, and returns the output', async () => {
  const seen: unknown[] = []
  const logs = await start(({ url, headers }, response) => {
    seen.push(url, headers.authorization)
    response.end('one\n')
  })
  expect(await text((await logs.open(request, never))!)).toBe('one\n')
  expect(seen).toEqual(['/instances/ci-1/containers/db/log?tailLines=5&follow=true', `Bearer ${token}`])
})

test('returns undefined for an unknown container, and fails if the operator refuses', async () => {
  const answers = [404, 429]
  const logs = await start((_request, response) => void response.writeHead(answers.shift() ?? 500).end())
  expect(await logs.open(request, never)).toBeUndefined()
  await expect(logs.open(request, never)).rejects.toThrow('The operator answered with 429')
})

test('closes the connection to the operator when the reader leaves', async () => {
  let isClosed = false
  const logs = await start((_request, response) => {
    response.write('one\n')
    response.once('close', () => {
      isClosed = true
    })
  })
  const leaving = new AbortController()
  const output = (await logs.open(request, leaving.signal))!
  const reading = text(output)
  leaving.abort()
  await expect(reading).rejects.toThrow()
  await vi.waitUntil(() => isClosed)
})
