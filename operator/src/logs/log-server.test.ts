import { once } from 'node:events'
import { request } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { pathOfEventsRequest } from '@capstan/challenge-instance/events-request'
import { maxLogLineBytes } from '@capstan/challenge-instance/line-clip'
import { pathOfLogRequest } from '@capstan/challenge-instance/log-request'
import { silentLog } from '@capstan/kubernetes/testing/silent-log'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { EventSource } from './event-source.ts'
import { createLogServer, maxOpenLogs } from './log-server.ts'
import type { LogSource } from './log-source.ts'

const token = 'a token of the tests'
const authorization = `Bearer ${token}`
const path = pathOfLogRequest({ instance: 'ci-1', container: 'db', tailLines: 10, follow: true })

async function* endless(signal: AbortSignal) {
  yield Buffer.from('first\n')
  await once(signal, 'abort')
}

const noEvents: EventSource = { list: async () => undefined }

async function start(source: LogSource, { openMs, events = noEvents }: { openMs?: number; events?: EventSource } = {}) {
  const server = createLogServer({ source, events, token, log: silentLog, ...(openMs !== undefined && { openMs }) })
  const port = await server.listen(0, '127.0.0.1')
  onTestFinished(() => server.close())
  return (address = path, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${address}`, { headers: { authorization }, ...init })
}

it('sends the output of the requested container, and only the first bytes of a long line', async () => {
  const open = vi.fn(async function* () {
    yield Buffer.from(`one\n${'x'.repeat(maxLogLineBytes)}`)
    yield Buffer.from('yyy\ntwo\n')
  })
  const ask = await start({ open })
  expect(await (await ask()).text()).toBe(`one\n${'x'.repeat(maxLogLineBytes)}\ntwo\n`)
  expect(open).toHaveBeenCalledWith({ instance: 'ci-1', container: 'db', tailLines: 10, follow: true }, expect.anything())
})

it.each([
  ['no token', {}],
  ['a wrong token', { authorization: 'Bearer another token' }],
  ['a token that is longer', { authorization: `${authorization}x` }],
])('refuses a request with %s, and opens no log', async (_what, headers) => {
  const open = vi.fn()
  const ask = await start({ open })
  expect((await ask(path, { headers })).status).toBe(401)
  expect(open).not.toHaveBeenCalled()
})

it.each([
  ['another address', '/healthz', 'GET'],
  ['another method', path, 'POST'],
])('refuses %s', async (_what, address, method) => {
  const open = vi.fn()
  const ask = await start({ open })
  expect((await ask(address, { method, headers: { authorization } })).status).toBe(404)
  expect(open).not.toHaveBeenCalled()
})

it('answers 404 for an unknown container', async () => {
  const ask = await start({ open: () => undefined })
  expect((await ask()).status).toBe(404)
})

it('stops the source when the client disconnects', async () => {
  let signal: AbortSignal | undefined
  const ask = await start({
    open(_request, given) {
      signal = given
      return endless(given)
    },
  })
  const leaving = new AbortController()
  const response = await ask(path, { headers: { authorization }, signal: leaving.signal })
  expect(response.status).toBe(200)
  expect(signal?.aborted).toBe(false)
  leaving.abort()
  await expect.poll(() => signal?.aborted).toBe(true)
})

it('sends the response headers before there is output, and ends the log after the maximum time', async () => {
  async function* silent(signal: AbortSignal) {
    await once(signal, 'abort')
    yield* []
  }
  const ask = await start({ open: (_request, signal) => silent(signal) }, { openMs: 50 })
  const response = await ask()
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('')
})

it('aborts the response if the source fails, so that the reader notices', async () => {
  async function* failing() {
    yield Buffer.from('first\n')
    await turn()
    throw new Error('The connection broke')
  }
  const ask = await start({ open: failing })
  await expect((await ask()).text()).rejects.toThrow()
})

it('refuses logs above the maximum number, and accepts a new log after another log ends', async () => {
  const ask = await start({ open: (_request, signal) => endless(signal) })
  const leaving = new AbortController()
  const first = await ask(path, { headers: { authorization }, signal: leaving.signal })
  const others = await Promise.all(Array.from({ length: maxOpenLogs - 1 }, () => ask()))
  expect([first, ...others].every(({ status }) => status === 200)).toBe(true)
  expect((await ask()).status).toBe(429)
  leaving.abort()
  await expect.poll(async () => (await ask()).status === 200).toBe(true)
})

it('reads from the source only as fast as the client reads', async () => {
  const piece = Buffer.alloc(64 * 1024, 'line\n')
  let pieces = 0
  const server = createLogServer({
    source: {
      async *open() {
        for (;;) {
          pieces += 1
          yield piece
          await turn()
        }
      },
    },
    events: noEvents,
    token,
    log: silentLog,
  })
  const port = await server.listen(0, '127.0.0.1')
  onTestFinished(() => server.close())
  const asking = request({ port, host: '127.0.0.1', path, headers: { authorization } }).end()
  onTestFinished(() => void asking.destroy())
  const [answer] = await once(asking, 'response')
  let before = -1
  // Wait until the number of pieces no longer changes. All buffers are then full.
  await expect
    .poll(() => {
      const isFull = pieces === before
      before = pieces
      return isFull
    })
    .toBe(true)
  answer.destroy()
  expect(pieces).toBeLessThan(1_000)
})

const closed: LogSource = { open: () => undefined }
const eventsPath = pathOfEventsRequest({ instance: 'ci-1', container: 'db' })
const anEvent = { type: 'Warning', reason: 'BackOff', message: 'Back-off', count: 3, lastAt: '2030-01-01T00:00:00.000Z' } as const

it('sends the events of the requested container, and answers 404 for an unknown container', async () => {
  const list = vi.fn(async ({ container }: { container: string }) => (container === 'db' ? [anEvent] : undefined))
  const ask = await start(closed, { events: { list } })
  expect(await (await ask(eventsPath)).json()).toEqual([anEvent])
  expect(list).toHaveBeenCalledWith({ instance: 'ci-1', container: 'db' })
  expect((await ask(eventsPath.replace('db', 'page'))).status).toBe(404)
})

it('refuses requests for events without the token, and reads no events', async () => {
  const list = vi.fn()
  const ask = await start(closed, { events: { list } })
  expect((await ask(eventsPath, { headers: {} })).status).toBe(401)
  expect(list).not.toHaveBeenCalled()
})

it('answers 502 if the events cannot be read, and serves the next request', async () => {
  const list = vi.fn(async () => [anEvent]).mockRejectedValueOnce(new Error('no right'))
  const ask = await start(closed, { events: { list } })
  expect((await ask(eventsPath)).status).toBe(502)
  expect((await ask(eventsPath)).status).toBe(200)
})
