import { connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { describe, expect, it, vi } from 'vitest'
import {
  aCertificate,
  createReadyRouteTarget,
  hostOf,
  instanceId,
  label,
  otherInstanceId,
  otherLabel,
  provideReachGateway,
  sendTextAndReadResponse,
  waiting,
} from '../testing/reach-world.ts'

const { start, startHttpServer, startInstance } = provideReachGateway()

function secureTo(port: number, name = label, ALPNProtocols?: string[]): TLSSocket {
  const options = {
    port,
    host: '127.0.0.1',
    servername: hostOf(name),
    rejectUnauthorized: false,
    allowHalfOpen: true,
    ...(ALPNProtocols && { ALPNProtocols }),
  }
  return connectTls(options)
}

function readAll(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (bytes) => {
      text += String(bytes)
    })
    socket.on('error', () => resolve(text))
    socket.once('end', () => {
      socket.end()
      resolve(text)
    })
    socket.once('close', () => resolve(text))
  })
}

/** Sends the number of received bytes once the client has closed its sending direction. */
function counting(socket: import('node:net').Socket) {
  let count = 0
  socket.on('data', (bytes) => {
    count += bytes.length
  })
  socket.on('end', () => socket.end(`${count} bytes`))
}

describe('a TLS connection', () => {
  it('a TLS connection is decrypted by the gateway, which forwards bytes in both directions until each side closes', async () => {
    const instance = await startInstance(counting)
    const { backend, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    const socket = secureTo(tlsPort)
    socket.end(Buffer.alloc(3_000_000))
    expect(await readAll(socket)).toBe('3000000 bytes')
    await vi.waitFor(() => {
      const [row] = [...backend.reports.values()]
      expect(row).toMatchObject({ instanceId, way: 'tls', bytesSent: 3_000_000, bytesReceived: 13 })
      expect(row?.closedAt).not.toBeNull()
    }, waiting)
  })

  it('a TLS connection passes through the gateway if the challenge has its own certificate', async () => {
    const { certificate: cert, key } = await aCertificate()
    const instance = createTlsServer({ cert, key, ALPNProtocols: ['strange'] }, (socket) =>
      socket.end(`mine ${socket.alpnProtocol} ${(socket as unknown as { servername: string }).servername}`),
    )
    await new Promise<void>((resolve) => instance.listen(0, '127.0.0.1', resolve))
    const { backend, tlsPort } = await start()
    backend.routes.set(
      label,
      createReadyRouteTarget((instance.address() as AddressInfo).port, { hasOwnCertificate: true, speaks: 'tcp' }),
    )
    expect(await readAll(secureTo(tlsPort, label, ['strange']))).toBe(`mine strange ${hostOf(label)}`)
    instance.close()
  })

  it('a TLS connection carries raw HTTP as bytes, even if it is malformed', async () => {
    let seen = ''
    const instance = await startInstance((socket) => {
      socket.on('data', (bytes) => {
        seen += String(bytes)
        if (seen.endsWith('!')) socket.end('HTTP/9 why not\n')
      })
    })
    const { backend, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port, { isRaw: true }))
    const socket = secureTo(tlsPort, label, ['h2', 'http/1.1'])
    const request = 'GET / HTTP/1.1\nContent-Length: 1\nContent-Length: 2\n Host: nobody\n\n!'
    socket.write(request)
    expect(await readAll(socket)).toBe('HTTP/9 why not\n')
    expect([seen, socket.alpnProtocol]).toEqual([request, 'http/1.1'])
  })

  it.each([['http/1.1'], [undefined]])(
    'a TLS connection gets HTTP/1.1 responses if the client negotiates %s',
    async (protocol) => {
      const instance = await startHttpServer((request, response) =>
        response.end(`${request.url} ${request.headers['x-forwarded-proto']}`),
      )
      const { backend, tlsPort } = await start()
      backend.routes.set(label, createReadyRouteTarget(instance.port))
      const socket = secureTo(tlsPort, label, protocol === undefined ? undefined : [protocol])
      socket.write(`GET /x HTTP/1.1\r\nHost: ${hostOf(label)}:1337\r\nConnection: close\r\n\r\n`)
      expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\/x https$/)
    },
  )

  it('a TLS connection carries concurrent HTTP/2 requests with bodies, split cookies and trailers', async () => {
    const instance = await startHttpServer((request, response) => {
      let body = ''
      request.on('data', (bytes) => {
        body += String(bytes)
      })
      request.on('end', () => {
        response.writeHead(200, ['Trailer', 'X-Sum', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Connection', 'keep-alive'])
        response.write(
          `${request.httpVersion} ${request.method} ${request.headers.host} ${request.headers['x-forwarded-proto']} ${request.headers['x-forwarded-for']} ${request.headers.cookie} ${body}`,
        )
        response.addTrailers({ 'X-Sum': '7' })
        response.end()
      })
    })
    const { backend, tlsPort, gateway } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const session = connectHttp2(`https://${hostOf(label)}`, { createConnection: () => secureTo(tlsPort, label, ['h2']) })
    const ask = (body: string) =>
      new Promise<{ text: string; cookies: unknown; sum: unknown }>((resolve, reject) => {
        const stream = session.request({ ':method': 'POST', ':path': '/', cookie: ['a=1', 'b=2'] })
        let text = ''
        let cookies: unknown
        let sum: unknown
        stream.on('response', (headers) => {
          cookies = headers['set-cookie']
        })
        stream.on('trailers', (trailers) => {
          sum = trailers['x-sum']
        })
        stream.on('data', (bytes) => {
          text += String(bytes)
        })
        stream.on('error', reject)
        stream.once('end', () => resolve({ text, cookies, sum }))
        stream.end(body)
      })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => ask(String(index))))
    for (const [index, answer] of answers.entries())
      expect(answer).toEqual({
        text: `1.1 POST ${hostOf(label)}:443 https 127.0.0.1 a=1; b=2 ${index}`,
        cookies: ['a=1', 'b=2'],
        sum: '7',
      })
    await vi.waitFor(() => expect([gateway.gateway.health().proxyConnections, backend.reports.size]).toEqual([1, 1]), waiting)
    session.destroy()
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
  })

  it('a TLS connection to an unknown name gets an error page if the client speaks HTTP, and is closed otherwise', async () => {
    const { tlsPort, backend } = await start()
    backend.routes.set(label, { state: 'ended' })
    const browser = secureTo(tlsPort, label, ['http/1.1'])
    browser.write(`GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\nConnection: close\r\n\r\n`)
    expect(await readAll(browser)).toMatch(/^HTTP\/1\.1 410 /)
    expect(await readAll(secureTo(tlsPort))).toBe('')
  })

  it('a TLS connection is accepted if its server name arrives byte by byte', async () => {
    const instance = await startInstance((socket) => void socket.end('hello'))
    const { backend, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    // Forward the client's first bytes one by one, because some middleboxes split a ClientHello.
    const { createServer } = await import('node:net')
    const slow = createServer((client) => {
      const server = connect({ port: tlsPort, host: '127.0.0.1', noDelay: true })
      server.pipe(client)
      client.on('data', (bytes) => {
        for (const byte of bytes) server.write(Buffer.from([byte]))
      })
      client.on('error', () => {})
      server.on('error', () => {})
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    expect(await readAll(secureTo((slow.address() as AddressInfo).port))).toBe('hello')
    slow.close()
  })
})

describe('a stopping gateway', () => {
  it('a stopping gateway asks HTTP/2 clients to send new requests elsewhere, and finishes pending requests', async () => {
    const finish = Promise.withResolvers<void>()
    const instance = await startHttpServer(async (_request, response) => {
      response.write('begin ')
      await finish.promise
      response.end('end')
    })
    const { backend, tlsPort, gateway } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const session = connectHttp2(`https://${hostOf(label)}`, { createConnection: () => secureTo(tlsPort, label, ['h2']) })
    const goaway = new Promise((resolve) => session.once('goaway', resolve))
    const stream = session.request({ ':path': '/' })
    let text = ''
    stream.on('data', (bytes) => {
      text += String(bytes)
    })
    await vi.waitFor(() => expect(text).toBe('begin '), waiting)
    const closed = gateway.close({ drainMs: 10_000 })
    await goaway
    finish.resolve()
    await new Promise((resolve) => stream.once('end', resolve))
    expect(text).toBe('begin end')
    await closed
  })
})

describe('a plain port', () => {
  it('a plain port forwards bytes to its instance, and lets each side end separately', async () => {
    const instance = await startInstance(counting)
    const { backend, rawPort } = await start()
    backend.routes.set(rawPort, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    const socket = connect({ port: rawPort, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.on('data', (bytes) => {
      text += String(bytes)
    })
    socket.end('12345')
    await new Promise((resolve) => socket.once('end', resolve))
    expect(text).toBe('5 bytes')
    await vi.waitFor(
      () => expect([...backend.reports.values()]).toMatchObject([{ way: 'tcp', bytesSent: 5, bytesReceived: 7 }]),
      waiting,
    )
  })

  it('a plain port disconnects a client at once if no instance owns the port', async () => {
    const { rawPort } = await start()
    expect(await sendTextAndReadResponse(rawPort, 'hello')).toBe('')
  })

  it('a plain port disconnects clients once its instance has ended', async () => {
    const instance = await startInstance((socket) => void socket.write('hello'))
    const { backend, gateway, rawPort } = await start()
    backend.routes.set(rawPort, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    const answer = sendTextAndReadResponse(rawPort, '')
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(1), waiting)
    backend.routes.delete(rawPort)
    gateway.bus.publish({ kind: 'instance-ended', instanceId })
    expect(['', 'hello']).toContain(await answer)
    expect(await sendTextAndReadResponse(rawPort, '')).toBe('')
    expect(gateway.gateway.health().proxyConnections).toBe(0)
  })

  it('a plain port opens no connection if its instance ends during the lookup', async () => {
    const instance = await startInstance((socket) => void socket.end('stale'))
    const { backend, gateway, rawPort } = await start()
    const route = createReadyRouteTarget(instance.port, { speaks: 'tcp' })
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const answers = [route, { state: 'unknown' } as const]
    backend.route = async () => {
      asked.resolve()
      await answered.promise
      return answers.shift() ?? { state: 'unknown' }
    }
    const answer = sendTextAndReadResponse(rawPort, '')
    await asked.promise
    const heard = new Promise<unknown>((resolve) => gateway.bus.subscribe(resolve))
    gateway.bus.publish({ kind: 'instance-ended', instanceId })
    await heard
    answered.resolve()
    expect(await answer).toBe('')
    expect(instance.sockets).toHaveLength(0)
  })

  it('a plain port causes a new lookup after an instance ended, even if an earlier lookup is pending', async () => {
    const instance = await startInstance((socket) => void socket.end('stale'))
    const { backend, gateway, rawPort } = await start()
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    let questions = 0
    backend.route = async () => {
      questions += 1
      if (questions > 1) return { state: 'unknown' }
      asked.resolve()
      await answered.promise
      return createReadyRouteTarget(instance.port, { speaks: 'tcp' })
    }
    const first = sendTextAndReadResponse(rawPort, '')
    await asked.promise
    const heard = new Promise<unknown>((resolve) => gateway.bus.subscribe(resolve))
    gateway.bus.publish({ kind: 'instance-ended', instanceId })
    await heard
    expect(await sendTextAndReadResponse(rawPort, '')).toBe('')
    answered.resolve()
    expect(await first).toBe('')
    expect(instance.sockets).toHaveLength(0)
  })

  it('a plain port refuses a client if another instance got the port while the client was connecting', async () => {
    const instance = await startInstance((socket) => void socket.end('another'))
    const { backend, rawPort } = await start()
    const answers = [
      createReadyRouteTarget(1, { speaks: 'tcp' }),
      createReadyRouteTarget(instance.port, { speaks: 'tcp', instanceId: otherInstanceId }),
    ]
    backend.route = async () => answers.shift() ?? { state: 'unknown' }
    expect(await sendTextAndReadResponse(rawPort, '')).toBe('')
    expect(instance.sockets).toHaveLength(0)
  })

  it('a plain port limits the connections per client address', async () => {
    const instance = await startInstance((socket) => void socket.write('in'))
    const { backend, rawPort, gateway } = await start({ config: { limits: { instanceConnectionsPerAddress: 1 } } })
    backend.routes.set(rawPort, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    const openClient = connect({ port: rawPort, host: '127.0.0.1' })
    await new Promise((resolve) => openClient.once('data', resolve))
    expect(await sendTextAndReadResponse(rawPort, '')).toBe('')
    const text = await gateway.gateway.registry.metrics()
    expect(text).toContain('capstan_gateway_refusals_total{limit="port-address"} 1')
    expect(text).toContain('capstan_gateway_direct_attempts_total{way="tcp",outcome="proxy.full"} 1')
    openClient.destroy()
  })

  it('a plain port disconnects a client that does not read', async () => {
    const instance = await startInstance((socket) => void socket.write(Buffer.alloc(32 * 1024 * 1024)))
    const { backend, rawPort, gateway } = await start({ timings: { stalledMs: 100 } })
    backend.routes.set(rawPort, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    const socket = connect({ port: rawPort, host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.pause()
    await vi.waitFor(async () => expect(await gateway.gateway.registry.metrics()).toContain('{limit="slow-reader"} 1'), waiting)
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
    socket.destroy()
  })
})

it('a gateway that offers only WebSockets to instances treats every host name as a name of the platform', async () => {
  const { startTestGateway } = await import('../testing/test-gateway.ts')
  const gateway = await startTestGateway()
  gateway.backend.routes.set(otherLabel, createReadyRouteTarget(1))
  const answer = await sendTextAndReadResponse(
    gateway.port,
    `GET /livez HTTP/1.1\r\nHost: ${hostOf(otherLabel)}\r\nConnection: close\r\n\r\n`,
  )
  expect(answer).toMatch(/ 200 [\s\S]*Healthy$/)
  expect(gateway.backend.asked.route).toBe(0)
  await gateway.close()
})

describe('a connection to an instance that is not ready', () => {
  it('the gateway does not cache that a port has no instance yet', async () => {
    const instance = await startInstance((socket) => void socket.end('here'))
    const { backend, rawPort } = await start({ timings: { missMs: 60_000 } })
    expect(await sendTextAndReadResponse(rawPort, '')).toBe('')
    backend.routes.set(rawPort, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    expect(await sendTextAndReadResponse(rawPort, '')).toBe('here')
  })

  it('the gateway does not cache that an instance is still starting', async () => {
    const instance = await startInstance((socket) => void socket.end('here'))
    const { backend, tlsPort } = await start({ timings: { missMs: 60_000 } })
    backend.routes.set(label, { state: 'starting' })
    expect(await readAll(secureTo(tlsPort))).toBe('')
    backend.routes.set(label, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    expect(await readAll(secureTo(tlsPort))).toBe('here')
  })
})

describe('a TLS client', () => {
  it('a TLS client is accepted even if it does not prefer the server’s preferred key exchange group', async () => {
    const instance = await startInstance((socket) => void socket.end('here'))
    const { backend, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    const options = { port: tlsPort, host: '127.0.0.1', servername: hostOf(label), rejectUnauthorized: false }
    expect(await readAll(connectTls({ ...options, ecdhCurve: 'P-521:X25519' }))).toBe('here')
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a TLS client that resumes a %s session reaches the server that it names, not the server of the earlier session',
    async (version) => {
      const { backend, tlsPort } = await start()
      for (const name of [label, otherLabel]) {
        const { port } = await startHttpServer((_request, response) => response.end(`at ${name}`))
        backend.routes.set(name, createReadyRouteTarget(port, { instanceId: name === label ? instanceId : otherInstanceId }))
      }
      const visit = async (name: string, session?: Buffer) => {
        const options = { port: tlsPort, host: '127.0.0.1', rejectUnauthorized: false, maxVersion: version } as const
        const socket = connectTls({ ...options, servername: hostOf(name), ...(session && { session }) })
        let ticket: Buffer | undefined
        socket.on('session', (given) => {
          ticket = given
        })
        socket.write(`GET / HTTP/1.1\r\nHost: ${hostOf(name)}\r\nConnection: close\r\n\r\n`)
        const text = await readAll(socket)
        return { text, ticket, isReused: socket.isSessionReused() }
      }
      const { ticket } = await visit(label)
      const again = await visit(label, ticket)
      expect([again.isReused, again.text]).toEqual([true, expect.stringMatching(/at abcdefghijklmnop2345$/)])
      expect((await visit(otherLabel, ticket)).text).toMatch(/at zyxwvutsrqponmlk7654$/)
    },
  )
})
