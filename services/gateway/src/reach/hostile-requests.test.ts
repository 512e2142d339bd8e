import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, vi } from 'vitest'
import {
  createReadyRouteTarget,
  domain,
  hostOf,
  label,
  otherInstanceId,
  otherLabel,
  provideReachGateway,
  sendTextAndReadResponse,
  waiting,
} from '../testing/reach-world.ts'

const { start, startInstance } = provideReachGateway()

const own = hostOf(label)
const other = hostOf(otherLabel)
function get(host: string, more = '', target = '/') {
  return `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`
}
function post(headers: string, body: string) {
  return `POST / HTTP/1.1\r\nHost: ${own}\r\n${headers}\r\n${body}`
}
/** Request that an attacker hides in a body. */
const hidden = `GET /hidden HTTP/1.1\r\nHost: ${own}\r\n\r\n`

/** Starts two instances and a gateway. Each instance responds with its name, and `seen` records the bytes that it receives. */
async function startTwo() {
  const seen = { own: '', other: '' }
  const instance = (name: keyof typeof seen) =>
    startInstance((socket) => {
      socket.on('data', (bytes) => {
        seen[name] += bytes.toString('latin1')
        if (seen[name].includes('\r\n\r\n'))
          socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\nConnection: close\r\n\r\n${name}`)
      })
      socket.on('end', () => socket.end())
    })
  const [first, second] = [await instance('own'), await instance('other')]
  const world = await start({
    limits: {
      headersMs: 300,
      bodyMs: 300,
      uploadBytesPerSecond: 1_000_000,
      minPieceBytes: 32,
      maxSmallPieces: 1_000,
      maxPipelinedRequests: 64,
      maxConnectionsPerAddress: 2_048,
      idleMs: 1_000,
      stalledMs: 1_000,
      sweepMs: 20,
      maxHeadersBytes: 16_384,
      maxConnections: 100,
      requestsPerConnection: 100,
    },
  })
  world.backend.routes.set(label, createReadyRouteTarget(first.port))
  world.backend.routes.set(otherLabel, createReadyRouteTarget(second.port, { instanceId: otherInstanceId }))
  return { ...world, seen }
}

/** Requests that the gateway must refuse and not forward, each with a description and the expected response. */
const refused: [string, string, RegExp][] = [
  ['two lengths that differ', post('Content-Length: 5\r\nContent-Length: 6\r\n', 'hello!'), /^HTTP\/1\.1 400 /],
  ['two lengths alike', post('Content-Length: 5\r\nContent-Length: 5\r\n', 'hello'), /^HTTP\/1\.1 400 /],
  ['a list of lengths', post('Content-Length: 5, 5\r\n', 'hello'), /^HTTP\/1\.1 400 /],
  ['a length with a sign', post('Content-Length: +5\r\n', 'hello'), /^HTTP\/1\.1 400 /],
  ['a length below zero', post('Content-Length: -5\r\n', 'hello'), /^HTTP\/1\.1 400 /],
  ['a length in hex', post('Content-Length: 0x5\r\n', 'hello'), /^HTTP\/1\.1 400 /],
  ['a length without end', post(`Content-Length: ${'9'.repeat(30)}\r\n`, 'hello'), /^HTTP\/1\.1 400 /],
  ['length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`), /^HTTP\/1\.1 400 /],
  ['chunks and length', post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', `0\r\n\r\n${hidden}`), /^HTTP\/1\.1 400 /],
  ['chunks twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), /^HTTP\/1\.1 400 /],
  ['chunks and another coding', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'), /^HTTP\/1\.1 400 /],
  ['chunks not last', post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${hidden}`), /^HTTP\/1\.1 400 /],
  ['an unknown coding', post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${hidden}`), /^HTTP\/1\.1 400 /],
  ['a blank before the colon', post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${hidden}`), /^HTTP\/1\.1 400 /],
  ['a tab in a coding', post('Transfer-Encoding: \tchunked\x0b\r\n', `0\r\n\r\n${hidden}`), /^HTTP\/1\.1 400 /],
  ['a folded header', get(own, 'X-Folded: a\r\n b\r\n'), /^HTTP\/1\.1 400 /],
  ['a folded coding', post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${hidden}`), /^HTTP\/1\.1 400 /],
  ['a bare line feed after a header', `GET / HTTP/1.1\nHost: ${own}\n\n`, /^HTTP\/1\.1 400 /],
  ['a bare line feed within headers', get(own, 'X-One: 1\nX-Two: 2\r\n'), /^HTTP\/1\.1 400 /],
  ['a bare carriage return in a header', get(own, 'X-One: 1\rX-Two: 2\r\n'), /^HTTP\/1\.1 400 /],
  ['a zero byte in a header', get(own, 'X-One: 1\x002\r\n'), /^HTTP\/1\.1 400 /],
  ['a header without a name', get(own, ': 1\r\n'), /^HTTP\/1\.1 400 /],
  ['a header that is too large', get(own, `X-Large: ${'x'.repeat(20_000)}\r\n`), /^HTTP\/1\.1 431 /],
  ['an address that is too large', get(own, '', `/${'x'.repeat(20_000)}`), /^HTTP\/1\.1 (431|414) /],
  ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['two hosts', `GET / HTTP/1.1\r\nHost: ${own}\r\nHost: ${other}\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 400 /],
  ['a list of hosts', get(`${own}, ${other}`), /^HTTP\/1\.1 400 /],
  ['a host with a user', get(`user@${own}`), /^HTTP\/1\.1 400 /],
  ['a host with a path', get(`${own}/x`), /^HTTP\/1\.1 400 /],
  ['a host with a blank', get(`${own} ${other}`), /^HTTP\/1\.1 400 /],
  ['a host with two ports', get(`${own}:80:81`), /^HTTP\/1\.1 400 /],
  ['a host with a port that is none', get(`${own}:http`), /^HTTP\/1\.1 400 /],
  ['a host beyond ASCII', get(`${own.slice(0, -1)}\xe9`), /^HTTP\/1\.1 400 /],
  ['a host with an encoded dot', get(`${label}%2e${domain}`), /^HTTP\/1\.1 400 /],
  ['a host with a dot at its end', get(`${own}.`), /^HTTP\/1\.1 404 /],
  ['a host with two dots at its end', get(`${own}..`), /^HTTP\/1\.1 400 /],
  ['a host with a dot before it', get(`.${own}`), /^HTTP\/1\.1 400 /],
  ['a name of Punycode below the domain', get(`xn--abcdefghijklmnop-0b.${domain}`), /^HTTP\/1\.1 404 /],
  ['a port that no instance offers', get(hostOf(`${label}-8081`)), /^HTTP\/1\.1 404 /],
  ['a name below an instance', get(`deeper.${own}`), /^HTTP\/1\.1 404 /],
  ['an address with another host', get(own, '', `http://${other}/`), /^HTTP\/1\.1 400 /],
  [
    'an address with the host of an instance, and the platform as host',
    get('ctf.test', '', `http://${own}/`),
    /^HTTP\/1\.1 400 /,
  ],
  [
    'such an address that asks for a WebSocket',
    get('ctf.test', 'Upgrade: websocket\r\n', `http://${own}:81/`).replace('close', 'Upgrade'),
    /^HTTP\/1\.1 400 /,
  ],
  ['an address with another scheme', get(own, '', 'file:///etc/passwd'), /^HTTP\/1\.1 400 /],
  ['a way to elsewhere', `CONNECT ${other}:80 HTTP/1.1\r\nHost: ${own}\r\n\r\n`, /^(HTTP\/1\.1 400 .*)?/],
  ['a method that is none', `G(T / HTTP/1.1\r\nHost: ${own}\r\n\r\n`, /^HTTP\/1\.1 400 /],
  ['another protocol', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`, /^HTTP\/1\.1 4\d\d /],
  ['bytes that are no HTTP', '\x16\x03\x01\x02\x00\x01\x00', /^(HTTP\/1\.1 400 .*)?/],
  [
    'a length that is for one connection only',
    get(own, `Connection: content-length\r\nContent-Length: ${hidden.length}\r\n`) + hidden,
    /^HTTP\/1\.1 400 /,
  ],
  [
    'an upgrade with a body',
    get(own, 'Upgrade: websocket\r\nContent-Length: 5\r\n').replace('close', 'Upgrade') + hidden,
    /^HTTP\/1\.1 400 /,
  ],
  [
    'an upgrade with a body in chunks',
    `${get(own, 'Upgrade: websocket\r\nTransfer-Encoding: chunked\r\n').replace('close', 'Upgrade')}5\r\nhello\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  ['headers that never end', `GET / HTTP/1.1\r\nHost: ${own}\r\nX-Slow: `, /^HTTP\/1\.1 408 /],
]

describe('a hostile request', () => {
  it.each(refused)('a hostile request with %s is refused', async (_name, request, answer) => {
    const { gateway, seen } = await startTwo()
    expect(await sendTextAndReadResponse(gateway.port, Buffer.from(request, 'latin1'))).toMatch(answer)
    expect(seen).toEqual({ own: '', other: '' })
  })

  it.each([
    ['a host in other letters', get(own.toUpperCase())],
    ['a host with a port', get(`${own}:8080`)],
    ['a whole request in its body', post(`Content-Length: ${hidden.length}\r\nConnection: close\r\n`, hidden)],
    ['an upgrade to HTTP/2', get(own, 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n')],
    [
      'headers that claim another host',
      get(own, `X-Forwarded-Host: ${other}\r\nForwarded: host=${other}\r\nX-Original-URL: http://${other}/\r\n`),
    ],
  ])('a request with %s reaches only the named instance, as one request', async (_name, request) => {
    const { gateway, seen } = await startTwo()
    const answer = await sendTextAndReadResponse(gateway.port, request)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
    expect(answer).toMatch(/\r\n\r\nown$/)
    expect(seen.own.match(/^(GET|POST) \/\S* HTTP\/1\.1/g)).toHaveLength(1)
    expect(seen.own).not.toMatch(/h2c|X-Forwarded-Host: z/i)
    expect(seen.other).toBe('')
  })

  it('a request is cancelled if its body is slow', async () => {
    const { gateway } = await startTwo()
    const answer = await sendTextAndReadResponse(gateway.port, post('Content-Length: 100000\r\n', 'x'))
    expect(answer === '' || /^HTTP\/1\.1 (408|200|502) /.test(answer)).toBe(true)
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
  })

  it.each([
    ['another instance', other],
    ['another port of the instance', hostOf(`${label}-8080`)],
    ['the domain', domain],
    ['the platform', 'ctf.test'],
  ])('a request to %s is refused with 421 if the TLS server name differs', async (_name, host) => {
    const { tlsPort, seen, backend } = await startTwo()
    backend.routes.set(`${label}-8080`, backend.routes.get(otherLabel)!)
    const socket = connectTls({
      port: tlsPort,
      host: '127.0.0.1',
      servername: own,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    })
    socket.write(get(host))
    let answer = ''
    socket.on('data', (bytes) => {
      answer += String(bytes)
    })
    await new Promise((resolve) => socket.once('close', resolve))
    expect(answer).toMatch(/^HTTP\/1\.1 421 /)
    expect(seen).toEqual({ own: '', other: '' })
  })

  it('a request is refused with 421 in HTTP/2 if its host differs from the TLS server name', async () => {
    const { tlsPort, seen } = await startTwo()
    const session = connectHttp2(`https://${own}:${tlsPort}`, {
      createConnection: () =>
        connectTls({ port: tlsPort, host: '127.0.0.1', servername: own, rejectUnauthorized: false, ALPNProtocols: ['h2'] }),
    })
    const stream = session.request({ ':authority': other })
    const status = await new Promise((resolve) => stream.once('response', (headers) => resolve(headers[':status'])))
    expect(status).toBe(421)
    expect(seen).toEqual({ own: '', other: '' })
    session.destroy()
  })

  it.each([undefined, 'ctf.test', `deeper.${own}`, domain])(
    'a handshake with the TLS server name %s ends the connection at once',
    async (servername) => {
      const { tlsPort } = await startTwo()
      const socket = connectTls({
        port: tlsPort,
        host: '127.0.0.1',
        rejectUnauthorized: false,
        ...(servername && { servername }),
      })
      await new Promise((resolve) => {
        socket.once('error', resolve)
        socket.once('close', resolve)
      })
      expect(socket.authorized).toBe(false)
      expect(socket.getPeerCertificate()).toBeNull()
    },
  )
})
