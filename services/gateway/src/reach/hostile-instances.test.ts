import { Agent } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ListenerLimits } from '@capstan/contract/limits'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createReadyRouteTarget,
  hostOf,
  label,
  provideReachGateway,
  sendHttpRequest,
  sendTextAndReadResponse,
  waiting,
} from '../testing/reach-world.ts'

const { start, startInstance, startHttpServer } = provideReachGateway()

const own = hostOf(label)
const sessions: ClientHttp2Session[] = []
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy()
})

function connectTo(tlsPort: number): ClientHttp2Session {
  const session = connectHttp2(`https://${own}`, {
    createConnection: () =>
      connectTls({ port: tlsPort, host: '127.0.0.1', servername: own, rejectUnauthorized: false, ALPNProtocols: ['h2'] }),
  })
  session.on('error', () => {})
  sessions.push(session)
  return session
}

type Result = Readonly<{
  headers: IncomingHttpHeaders | undefined
  text: string
  /** Error code of the stream. It is 0 if the stream ended normally. */
  code: number
}>

/** Sends an HTTP/2 request and returns its result. */
function askHttp2(session: ClientHttp2Session, headers: Record<string, string> = {}): Promise<Result> {
  return new Promise((resolve) => {
    const stream = session.request({ ':path': '/', ...headers })
    let answered: IncomingHttpHeaders | undefined
    let text = ''
    stream.on('response', (given) => {
      answered = given
    })
    stream.on('data', (bytes) => {
      text += String(bytes)
    })
    stream.on('error', () => {})
    stream.once('close', () => resolve({ headers: answered, text, code: stream.rstCode }))
    stream.end()
  })
}

/** Starts an instance that sends this response to every request. */
function startAnswering(answer: string) {
  return startInstance((socket) => {
    socket.on('data', () => socket.write(Buffer.from(answer, 'latin1')))
    socket.on('end', () => socket.end())
  })
}

function whole(head: string) {
  return `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n${head}\r\nhi`
}

/** Responses that a compromised instance could send, each with a description. */
const answers: [string, string][] = [
  ['two types of its content', whole('Content-Type: text/html\r\nContent-Type: text/plain\r\n')],
  ['two tags', whole('ETag: "a"\r\nETag: "b"\r\n')],
  ['two places', whole('Location: /a\r\nLocation: /b\r\n')],
  ['two ages', whole('Age: 1\r\nAge: 2\r\n')],
  ['two dates', whole('Date: x\r\nDate: y\r\n')],
  ['headers of one connection', whole('HTTP2-Settings: AAMAAABk\r\nTE: gzip\r\nProxy-Connection: x\r\n')],
  ['a header without a value', whole('X-Empty:\r\n')],
  ['letters beyond ASCII', whole('X-Text: \xe9\xff\r\n')],
  ['a length named by Connection', whole('Connection: content-length\r\n')],
  ['a status beyond those of HTTP', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nhi'],
  ['a status without a class', 'HTTP/1.1 600 Odd\r\nContent-Length: 2\r\n\r\nhi'],
  ['nothing, with a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nhi'],
  ['a reset, with a body', 'HTTP/1.1 205 Reset\r\nContent-Length: 2\r\n\r\nhi'],
  ['an unknown word before its answer', 'HTTP/1.1 199 Odd\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'],
  ['an upgrade that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhi'],
  ['trailers twice', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nETag: a\r\nETag: b\r\n\r\n'],
  [
    'trailers of one connection',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nHTTP2-Settings: a\r\nTE: b\r\nContent-Length: 9\r\n\r\n',
  ],
  ['a reason of other letters', 'HTTP/1.1 200 \xe9\xff\r\nContent-Length: 2\r\n\r\nhi'],
  ['a reason with control characters', 'HTTP/1.1 200 \x01\r\nContent-Length: 2\r\n\r\nhi'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi'],
  ['no HTTP', '\x00\x01\x02\x03\r\n\r\n'],
  ['headers without end', `HTTP/1.1 200 OK\r\n${'X-Long: 0123456789\r\n'.repeat(10_000)}`],
]

describe('hostile responses of an instance', () => {
  it.each(answers)('an instance that answers with %s does not disturb the gateway', async (_name, answer) => {
    const [hostile, good] = [await startAnswering(answer), await startHttpServer((_request, response) => response.end('good'))]
    const { gateway, backend, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(hostile.port))
    const result = await askHttp2(connectTo(tlsPort))
    expect(result.code === 0 ? Number(result.headers?.[':status']) : 502).toBeGreaterThanOrEqual(200)
    const plain = await sendTextAndReadResponse(gateway.port, `GET / HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`)
    expect(plain).toMatch(/^HTTP\/1\.1 [2-9]\d\d /)
    backend.routes.set(label, createReadyRouteTarget(good.port))
    expect((await askHttp2(connectTo(tlsPort))).text).toBe('good')
  })

  it('repeated headers of an instance are all forwarded in HTTP/2', async () => {
    const instance = await startAnswering(whole('Vary: a\r\nVary: b\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n'))
    const { backend, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const { headers } = await askHttp2(connectTo(tlsPort))
    expect(headers).toMatchObject({ vary: 'a, b', 'set-cookie': ['a=1', 'b=2'] })
  })
})

/** Sends an endless body with pauses so short that the connection never counts as stalled. */
function drip(socket: Pick<Socket, 'write' | 'once'>): void {
  const timer = setInterval(() => socket.write('x'), 20)
  socket.once('close', () => clearInterval(timer))
}

describe('a body that never ends', () => {
  it.each(['', 'Expect: 100-continue\r\n'])('an endless body is cancelled if its request has the headers %j', async (more) => {
    const instance = await startHttpServer((request) => void request.resume())
    const { backend, gateway } = await start({ limits: { ...ListenerLimits, bodyMs: 200, sweepMs: 20 } })
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const socket = connect({ port: gateway.port, host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.write(`POST / HTTP/1.1\r\nHost: ${own}\r\n${more}Content-Length: 100000\r\n\r\n`)
    drip(socket.resume())
    await new Promise((resolve) => socket.once('close', resolve))
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
  })
})

describe('an HTTP/2 body', () => {
  it.each([
    ['names its length', { 'content-length': '100000' }],
    ['names no length', {}],
  ])('a slow HTTP/2 body that %s is cancelled, while other streams of its connection continue', async (_how, headers) => {
    const instance = await startHttpServer((request, response) => {
      request.resume()
      request.once('end', () => response.end('whole'))
    })
    const { backend, tlsPort, gateway } = await start({ limits: { ...ListenerLimits, bodyMs: 200, sweepMs: 20 } })
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const session = connectTo(tlsPort)
    const slow = session.request({ ':path': '/', ':method': 'POST', ...headers })
    slow.on('error', () => {})
    slow.write('x')
    await new Promise((resolve) => slow.once('close', resolve))
    expect(slow.rstCode).toBe(constants.NGHTTP2_CANCEL)
    expect((await askHttp2(session)).text).toBe('whole')
    expect(gateway.gateway.health().proxyConnections).toBe(1)
  })
})

describe('a request on a connection that the instance is closing', () => {
  /** Responds once per connection, and resets the connection at the second request. */
  const once = (socket: Socket) => {
    let requests = 0
    socket.on('data', () => {
      requests += 1
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')
      else socket.resetAndDestroy()
    })
  }

  it.each(['GET', 'POST'])(
    'a %s request is repeated on a new connection if the instance closes the old connection',
    async (method) => {
      const instance = await startInstance(once)
      const { backend, gateway } = await start()
      backend.routes.set(label, createReadyRouteTarget(instance.port))
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let turn = 0; turn < 2; turn += 1)
        expect(await sendHttpRequest(gateway.port, { method, agent })).toMatchObject({ statusCode: 200 })
      agent.destroy()
    },
  )
})

it.each(['HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned', 'x'])(
  'data (%j) that an instance sends before it gets a request is never used as the response',
  async (unasked) => {
    const connections = new Set<Socket>()
    const instance = await startInstance((socket) => {
      connections.add(socket)
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'))
    })
    const { backend, gateway } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect((await sendHttpRequest(gateway.port, { agent })).text).toBe('hi')
    const [idle] = connections
    idle?.write(unasked)
    await vi.waitFor(() => expect(idle?.readableEnded).toBe(true), waiting)
    expect((await sendHttpRequest(gateway.port, { agent })).text).toBe('hi')
    expect(connections.size).toBe(2)
    agent.destroy()
  },
)

it('a client that waits to send its body gets one 100 Continue, even if the instance repeats it', async () => {
  const instance = await startInstance((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000))
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')
    }),
  )
  const { backend, gateway } = await start()
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const request = `POST / HTTP/1.1\r\nHost: ${own}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`
  const heard = await sendTextAndReadResponse(gateway.port, request, '\r\n\r\nhi')
  expect(heard.match(/100 Continue/g)).toHaveLength(1)
})

it.each(['100 Continue', '102 Processing', '103 Early Hints'])(
  'an instance that repeats %s forever counts as not answering',
  async (word) => {
    const instance = await startInstance((socket) => {
      const words = `HTTP/1.1 ${word}\r\n\r\n`.repeat(1_000)
      const say = () => socket.write(words, (error) => error || say())
      socket.once('data', say)
    })
    const { backend, gateway } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    expect((await sendHttpRequest(gateway.port)).statusCode).toBe(502)
    const upgrade = `GET / HTTP/1.1\r\nHost: ${own}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
    expect(await sendTextAndReadResponse(gateway.port, upgrade)).toMatch(/^HTTP\/1\.1 502 /)
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
  },
)

it('a client receives all headers of a response, regardless of their number', async () => {
  const count = 3_000
  const instance = await startAnswering(
    whole(`${Array.from({ length: count }, (_, at) => `X-${at}: y\r\n`).join('')}X-Last: z\r\n`),
  )
  const { backend, gateway } = await start()
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const heard = await sendTextAndReadResponse(gateway.port, `GET / HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`)
  expect([heard.match(/^X-\d+: y/gm)?.length, heard.includes('X-Last: z')]).toEqual([count, true])
})

it('an HTTP/2 response with too many headers ends only its stream', async () => {
  const many = await startAnswering(whole(Array.from({ length: 5_000 }, (_, at) => `X${at}: y\r\n`).join('')))
  const instance = await startHttpServer((_request, response) => response.end('good'))
  const { backend, tlsPort } = await start()
  backend.routes.set(label, createReadyRouteTarget(many.port))
  const result = await askHttp2(connectTo(tlsPort))
  expect(result.code === 0 ? Number(result.headers?.[':status']) : 502).toBeGreaterThanOrEqual(200)
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  expect((await askHttp2(connectTo(tlsPort))).text).toBe('good')
})

it('the response to an upgrade request reaches the client byte for byte', async () => {
  const instance = await startAnswering(
    'HTTP/1.1 101 Caf\xe9\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Text: \xe9\xff\r\n\r\nhi',
  )
  const { backend, gateway } = await start()
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const upgrade = `GET / HTTP/1.1\r\nHost: ${own}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
  const heard = await sendTextAndReadResponse(gateway.port, upgrade, 'hi')
  expect(heard).toContain('101 Caf\xe9\r\n')
  expect(heard).toContain('X-Text: \xe9\xff\r\n')
})

it('if an instance upgrades an ordinary request, the client gets the page for an instance that does not answer', async () => {
  const instance = await startAnswering('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
  const { backend, gateway } = await start()
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  expect((await sendHttpRequest(gateway.port)).statusCode).toBe(502)
  await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
})
