import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import type { ListenerLimits } from './listener.ts'
import { describeListenerLimits, shortLimits } from './testing/describe-limits.ts'
import { startLimitedServer } from './testing/limited-server.ts'
import { drip, openRaw } from './testing/raw-connection.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const startUntilTheEnd = async (answer: RequestListener, limits: ListenerLimits = shortLimits) => {
  const started = await startLimitedServer(answer, limits)
  cleanups.push(started.close)
  return started
}

/** Answers with how much came. */
const count: RequestListener = (request, response) => {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('error', () => {})
  request.on('end', () => response.end(`took ${bytes}`))
}

describeListenerLimits('every process', (limits) => startLimitedServer(count, limits), { postPath: '/', getPath: '/' })

const upload = (length: number) =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n`

test('an upload at more than the least rate takes as long as it takes', async () => {
  // A machine that stands still for half a second is not a client that does.
  const patient = { bodyMs: 1_000, stalledMs: 60_000 }
  const { port } = await startUntilTheEnd(count, { ...shortLimits, ...patient, uploadBytesPerSecond: 1_000 })
  const pieces = 200
  const connection = await openRaw(port, upload(pieces * 100))
  let sent = 0
  const timer = setInterval(() => {
    connection.socket.write('x'.repeat(100))
    sent += 1
    if (sent === pieces) clearInterval(timer)
  }, 20)
  // Four times as long as any other body may take.
  await expect.poll(connection.text).toContain('took 20000')
})

test('an upload that was fast before cannot rest on it', async () => {
  const { port } = await startUntilTheEnd(count, { ...shortLimits, stalledMs: 60_000, uploadBytesPerSecond: 1_000 })
  const connection = await openRaw(port, `${upload(2_000_000)}${'x'.repeat(1_000_000)}`)
  drip(connection, '-', 20)
  expect(await connection.ended).toMatch(/^HTTP\/1.1 408 /)
})

test('a client whose bytes wait for us is not late', async () => {
  const { promise: wait, resolve: goOn } = Promise.withResolvers<void>()
  const { port } = await startUntilTheEnd((request, response) => void wait.then(() => count(request, response)), {
    ...shortLimits,
    stalledMs: 60_000,
  })
  const patient = await openRaw(port, `${upload(1_000_000)}${'x'.repeat(1_000_000)}`)
  // By the time that an idle connection, opened later, is cut off, several times the limit of a body has passed.
  for (let round = 0; round < 4; round += 1) await (await openRaw(port)).ended
  goOn()
  await expect.poll(patient.text).toContain('took 1000000')
})

test('what is sent after the answer gets the plain time, however it was announced', async () => {
  const { port } = await startUntilTheEnd((_request, response) => void response.end('no'))
  const connection = await openRaw(port, upload(10_000_000))
  drip(connection, 'x'.repeat(1_000), 20)
  expect(await connection.ended).toMatch(/^HTTP\/1.1 200 /)
})

test('a client that does not take its answer is cut off', async () => {
  const { port, server } = await startUntilTheEnd((_request, response) => {
    response.write(Buffer.alloc(64 * 1024 * 1024))
  })
  const accepted = once(server, 'connection')
  const connection = await openRaw(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  connection.socket.pause()
  const [theirs] = await accepted
  await once(theirs, 'close')
  connection.socket.destroy()
})

test('no header is dropped for there being many', async () => {
  const { port } = await startUntilTheEnd((request, response) => void response.end(String(request.headers['x-last'])))
  const many = Array.from({ length: 2_500 }, () => 'a:\r\n').join('')
  const connection = await openRaw(port, `GET / HTTP/1.1\r\nHost: x\r\n${many}X-Last: there\r\n\r\n`)
  await expect.poll(connection.text).toContain('there')
})

test('more connections than the limit are turned away', async () => {
  const { port } = await startUntilTheEnd(count, { ...shortLimits, connectionsMax: 2, headersMs: 60_000 })
  const kept = [await openRaw(port), await openRaw(port)]
  await (await openRaw(port)).ended
  expect(kept.map(({ socket }) => socket.closed)).toEqual([false, false])
  for (const { socket } of kept) socket.destroy()
})
