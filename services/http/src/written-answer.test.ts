import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { ListenerLimits } from './listener.ts'
import { describeListenerLimits, shortLimits } from './testing/describe-limits.ts'
import { startLimitedServer } from './testing/limited-server.ts'
import { openRaw } from './testing/raw-connection.ts'
import { headWriter, mayBeWritten, writeAnswer } from './written-answer.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const ask = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** Writes what may be written, and says of all else that Node did. Counts what has gone out. */
const start = async (limits: ListenerLimits, body: Buffer = Buffer.from('written')) => {
  const sent = { count: 0 }
  const answer = (_request: IncomingMessage, response: ServerResponse): void => {
    if (!mayBeWritten(response)) return void response.end('by Node')
    const head = headWriter(server)('200 OK', `content-length: ${body.length}\r\n`, new Date())
    writeAnswer(response, head, body, () => {
      sent.count += 1
    })
  }
  const { server, close, port } = await startLimitedServer(answer, limits)
  return { server, sent, close, port }
}

const startUntilTheEnd = async (limits: ListenerLimits, body?: Buffer) => {
  const started = await start(limits, body)
  cleanups.push(started.close)
  return started
}

const bodiesOf = (text: string): string[] => text.match(/written|by Node/g) ?? []

/** Nothing ends by itself while a test looks. */
const longLimits: ListenerLimits = { ...shortLimits, idleMs: 60_000, headersMs: 60_000, stalledMs: 60_000 }

describeListenerLimits('answers that are written', (limits) => start(limits), { postPath: '/', getPath: '/' })

test('a connection is of use again after each answer', async () => {
  const { port, sent } = await startUntilTheEnd(longLimits)
  const connection = await openRaw(port)
  for (let count = 1; count <= 3; count += 1) {
    connection.socket.write(ask)
    await expect.poll(() => bodiesOf(connection.text())).toEqual(Array(count).fill('written'))
    expect(sent.count).toBe(count)
  }
  connection.socket.destroy()
})

test('requests that are sent ahead are answered by Node, each after the one before', async () => {
  const { port } = await startUntilTheEnd(longLimits)
  const connection = await openRaw(port, ask.repeat(3))
  await expect.poll(() => bodiesOf(connection.text())).toEqual(['written', 'by Node', 'by Node'])
  connection.socket.write(ask)
  await expect.poll(() => bodiesOf(connection.text())).toEqual(['written', 'by Node', 'by Node', 'written'])
  connection.socket.destroy()
})

test.each(['Connection: close', 'Connection: Upgrade, close'])(
  'whoever wants the connection ended is answered by Node: %s',
  async (header) => {
    const { port } = await startUntilTheEnd(longLimits)
    const connection = await openRaw(port, `${ask}${ask.replace('\r\n\r\n', `\r\n${header}\r\n\r\n`)}`)
    expect(bodiesOf(await connection.ended)).toEqual(['written', 'by Node'])
  },
)

test('the last request of a connection is answered by Node, which asks for its end', async () => {
  const { port } = await startUntilTheEnd({ ...longLimits, requestsPerConnection: 2 })
  const connection = await openRaw(port, ask)
  await expect.poll(() => bodiesOf(connection.text())).toEqual(['written'])
  expect(connection.text()).toContain('Connection: keep-alive')
  connection.socket.write(ask)
  await expect.poll(() => bodiesOf(connection.text())).toEqual(['written', 'by Node'])
  expect(connection.text()).toContain('Connection: close')
  connection.socket.destroy()
})

test('the head is the one that Node writes', async () => {
  const { port } = await startUntilTheEnd(longLimits)
  const connection = await openRaw(port, ask.repeat(2))
  await expect.poll(() => bodiesOf(connection.text())).toHaveLength(2)
  const heads = connection
    .text()
    .split(/(?<=written|by Node)/)
    .map((answer) =>
      answer
        .toLowerCase()
        .replace(/content-length: \d+/, 'content-length: some')
        .replace(/date: .*/, 'date: now')
        .split('\r\n')
        .slice(0, -1)
        .sort(),
    )
  expect(heads[0]).toEqual(heads[1])
  expect(connection.text()).toMatch(/Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/)
  connection.socket.destroy()
})

/** More than the system takes from a server for a client that does not read. */
const large = Buffer.alloc(32 * 1024 * 1024, 'x')

test('who takes the answer late gets all of it and is of use again; it counts when it has gone out', async () => {
  const { port, sent, server } = await startUntilTheEnd(longLimits, large)
  const accepted = once(server, 'connection')
  const connection = await openRaw(port, ask)
  let bytes = 0
  connection.socket.pause()
  connection.socket.on('data', (piece) => {
    bytes += piece.length
  })
  const [theirs] = await accepted
  await expect.poll(() => theirs.writableLength).toBeGreaterThan(0)
  expect(sent.count).toBe(0)
  for (let count = 1; count <= 2; count += 1) {
    connection.socket.resume()
    await expect.poll(() => bytes).toBeGreaterThan(large.length * count)
    await expect.poll(() => sent.count).toBe(count)
    if (count === 1) connection.socket.write(ask)
  }
  connection.socket.destroy()
})

test('who never takes the answer is cut off, and it does not count', async () => {
  const { port, sent, server } = await startUntilTheEnd(shortLimits, large)
  const accepted = once(server, 'connection')
  const connection = await openRaw(port, ask)
  connection.socket.pause()
  const [theirs] = await accepted
  await once(theirs, 'close')
  expect(sent.count).toBe(0)
  connection.socket.destroy()
})

const leavings: Record<string, (request: IncomingMessage, connection: Socket, gone: () => void) => void> = {
  'has gone meanwhile': (request, connection, gone) => {
    request.once('close', gone)
    connection.destroy()
  },
  'has ended its side meanwhile, and is being left,': (request, connection, gone) => {
    request.socket.once('end', gone)
    connection.end()
  },
}
test.each(Object.entries(leavings))('who %s is not written to', async (_, leave) => {
  const { server, close, port } = await startLimitedServer(() => {}, longLimits)
  cleanups.push(close)
  const asked = once(server, 'request')
  const connection = await openRaw(port, ask)
  const [request, response] = await asked
  await new Promise<void>((resolve) => leave(request, connection.socket, resolve))
  expect(mayBeWritten(response)).toBe(false)
})
