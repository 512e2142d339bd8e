import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { ListenerLimits as defaultLimits } from '@capstan/contract/limits'
import { afterEach, expect, test } from 'vitest'
import type { ListenerLimits } from './listener.ts'
import { describeListenerLimits, shortLimits } from './testing/describe-limits.ts'
import { startLimitedServer } from './testing/limited-server.ts'
import { openRawConnection, sendUntilClosed } from './testing/raw-connection.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function startUntilTheEnd(answer: RequestListener, limits: ListenerLimits = defaultLimits) {
  const started = await startLimitedServer(answer, limits)
  cleanups.push(started.close)
  return started
}

/** Request handler that responds with the size of the request body. */
const count: RequestListener = (request, response) => {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('error', () => {})
  request.on('end', () => response.end(`took ${bytes}`))
}

describeListenerLimits('every process', (limits) => startLimitedServer(count, limits), { postPath: '/', getPath: '/' })

function upload(length: number) {
  return `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n`
}

test('accepts an upload of any duration if it exceeds the minimum rate', async () => {
  // These limits are long, because a pause of the machine for some seconds must not count as a stalled client.
  const patient = { bodyMs: 5_000, stalledMs: 60_000 }
  const { port } = await startUntilTheEnd(count, { ...shortLimits, ...patient, uploadBytesPerSecond: 1_000 })
  const pieces = 400
  const connection = await openRawConnection(port, upload(pieces * 100))
  let sent = 0
  const timer = setInterval(() => {
    connection.socket.write('x'.repeat(100))
    sent += 1
    if (sent === pieces) clearInterval(timer)
  }, 20)
  // This upload takes longer than the time limit for other request bodies.
  await expect.poll(connection.text).toContain('took 40000')
})

test('ends an upload that stalls, even if the upload was fast before', async () => {
  const { port } = await startUntilTheEnd(count, { ...shortLimits, stalledMs: 60_000, uploadBytesPerSecond: 1_000 })
  const connection = await openRawConnection(port, `${upload(2_000_000)}${'x'.repeat(1_000_000)}`)
  sendUntilClosed(connection, '-', 20)
  expect(await connection.ended).toMatch(/^HTTP\/1.1 408 /)
})

test('does not disconnect a client for a slow upload if the server reads the body slowly', async () => {
  const { promise: wait, resolve: goOn } = Promise.withResolvers<void>()
  const { port } = await startUntilTheEnd((request, response) => void wait.then(() => count(request, response)), {
    ...shortLimits,
    bodyMs: 3_000,
    stalledMs: 60_000,
  })
  const patient = await openRawConnection(port, `${upload(1_000_000)}${'x'.repeat(1_000_000)}`)
  // While the first client waits, the server disconnects two other clients, because they are slow.
  for (let round = 0; round < 2; round += 1) expect(await (await openRawConnection(port, upload(10))).ended).toContain('408')
  goOn()
  await expect.poll(patient.text).toContain('took 1000000')
})

test('applies the normal time limit to upload data that arrives after the response', async () => {
  const { port } = await startUntilTheEnd((_request, response) => void response.end('no'), shortLimits)
  const connection = await openRawConnection(port, upload(10_000_000))
  sendUntilClosed(connection, 'x'.repeat(1_000), 20)
  expect(await connection.ended).toMatch(/^HTTP\/1.1 200 /)
})

test('disconnects a client that does not read the response', async () => {
  const { port, server } = await startUntilTheEnd((_request, response) => {
    response.write(Buffer.alloc(64 * 1024 * 1024))
  }, shortLimits)
  const accepted = once(server, 'connection')
  const connection = await openRawConnection(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  connection.socket.pause()
  const [theirs] = await accepted
  await once(theirs, 'close')
  connection.socket.destroy()
})

test('retains all headers, regardless of their number', async () => {
  const { port } = await startUntilTheEnd((request, response) => void response.end(String(request.headers['x-last'])))
  const many = Array.from({ length: 2_500 }, () => 'a:\r\n').join('')
  const connection = await openRawConnection(port, `GET / HTTP/1.1\r\nHost: x\r\n${many}X-Last: there\r\n\r\n`)
  await expect.poll(connection.text).toContain('there')
})

test('refuses connections beyond the maximum', async () => {
  const { port } = await startUntilTheEnd(count, { ...shortLimits, maxConnections: 2, headersMs: 60_000 })
  const open = [await openRawConnection(port), await openRawConnection(port)]
  await (await openRawConnection(port)).ended
  expect(open.map(({ socket }) => socket.closed)).toEqual([false, false])
  for (const { socket } of open) socket.destroy()
})

/** Returns a request with a body of many HTTP chunks of the same content. */
function post(content: string, times: number) {
  const chunks = `${content.length.toString(16)}\r\n${content}\r\n`.repeat(times)
  return `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}0\r\n\r\n`
}

test.each([
  ['a thousand bytes, each in a chunk of its own', 'x', 1_000, 1_000],
  ['any number of chunks of 40 bytes', 'x'.repeat(40), 5_000, 200_000],
])('accepts a body of %s', async (_what, content, times, bytes) => {
  const { port } = await startUntilTheEnd(count)
  expect(await (await openRawConnection(port, post(content, times))).ended).toContain(`took ${bytes}`)
})

test.each([
  ['that the server reads', count],
  ['that the server does not read', () => {}],
])('refuses a body %s if it has more than a thousand chunks of a few bytes', async (_what, answer: RequestListener) => {
  const received: number[] = []
  const { port } = await startUntilTheEnd((request, response) => {
    request.once('close', () => received.push(request.readableLength))
    return answer(request, response)
  })
  expect(await (await openRawConnection(port, post('{', 30_000))).ended).toMatch(/^HTTP\/1.1 400 /)
  // Each chunk of one byte adds 31/32 to the count. So 1,032 chunks stay below the limit of 1,000.
  await expect.poll(() => received).toEqual([answer === count ? 0 : 1_032])
})

test('refuses a body of many small chunks even if large chunks came first', async () => {
  const { port } = await startUntilTheEnd(count)
  const large = `10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(4)
  const body = post('{', 3_000).replace('\r\n\r\n', `\r\n\r\n${large}`)
  expect(await (await openRawConnection(port, body)).ended).toMatch(/^HTTP\/1.1 400 /)
})

const webSocketAsk = 'GET /upgrade HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

test('ends a connection if an upgrade request arrives before the response to an earlier request', async () => {
  const closed: string[] = []
  const { server, port } = await startUntilTheEnd((request, response) => {
    response.once('close', () => closed.push(request.url ?? ''))
  })
  let upgrades = 0
  server.on('upgrade', () => {
    upgrades += 1
  })
  const ahead = ['/first', '/second'].map((url) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')
  const connection = await openRawConnection(port, ahead + webSocketAsk)
  expect(await connection.ended).toBe('')
  expect(upgrades).toBe(0)
  // Both responses are lost: the first response, and the second response, which waited for the first.
  await expect.poll(() => closed).toEqual(['/first', '/second'])
})

test('upgrades a connection if the earlier response is complete', async () => {
  const { server, port } = await startUntilTheEnd((_request, response) => void response.end('first'))
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  const connection = await openRawConnection(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(connection.text).toContain('first')
  connection.socket.write(webSocketAsk)
  expect(await connection.ended).toContain('101 Switching Protocols')
})

test('ends an upgraded connection whose upgrade is neither accepted nor refused within the time limit of a call', async () => {
  const { server, port } = await startUntilTheEnd((_request, response) => void response.end('first'), shortLimits)
  server.on('upgrade', (request, socket: Socket) => {
    if (request.url !== '/accepted') return
    socket.setTimeout(0)
    cleanups.unshift(async () => void socket.destroy())
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  })
  const accepted = await openRawConnection(port, webSocketAsk.replace('/upgrade', '/accepted'))
  await expect.poll(accepted.text).toContain('101')
  const connection = await openRawConnection(port, `GET / HTTP/1.1\r\nHost: x\r\n\r\n`)
  await expect.poll(connection.text).toContain('first')
  connection.socket.write(`${webSocketAsk}more`)
  expect(await connection.ended).toMatch(/first$/)
  expect(accepted.socket.closed).toBe(false)
})

test('the server survives a reset of an upgraded connection', async () => {
  const { server, port } = await startUntilTheEnd((_request, response) => void response.end('here'))
  const reset = new Promise((resolve) =>
    server.on('upgrade', (_request, socket) => {
      socket.once('close', resolve)
      socket.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
    }),
  )
  const connection = await openRawConnection(port, webSocketAsk)
  await reset
  await connection.ended
  const next = await openRawConnection(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(await next.ended).toContain('here')
})

test('ends only the connection of a request whose handler throws', async () => {
  const { port } = await startUntilTheEnd((request, response) => {
    if (request.url === '/broken') throw new Error('ERR_INVALID_CHAR')
    response.end('here')
  })
  const broken = await openRawConnection(port, 'GET /broken HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(await broken.ended).toBe('')
  const next = await openRawConnection(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(await next.ended).toContain('here')
})

const expectant = 'POST /body HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n'

test('sends 100 Continue if a client waits for it', async () => {
  const { port } = await startUntilTheEnd(count)
  const connection = await openRawConnection(port, expectant)
  await expect.poll(connection.text).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  connection.socket.write('hi')
  expect(await connection.ended).toContain('took 2')
})

test('never writes 100 Continue into the response to an earlier request', async () => {
  const { port } = await startUntilTheEnd((_request, response) => {
    response.writeHead(200, { 'content-length': 4 })
    response.write('ha')
  }, shortLimits)
  const connection = await openRawConnection(port, `GET / HTTP/1.1\r\nHost: x\r\n\r\n${expectant}`)
  expect(await connection.ended).not.toContain('100 Continue')
})
