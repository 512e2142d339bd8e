import { createHash, randomBytes } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { languageCodes } from '@capstan/contract/languages'
import { serverTexts } from '@capstan/contract/server-texts'
import { describe, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  createReadyRouteTarget,
  hostOf,
  instanceId,
  label,
  otherInstanceId,
  otherLabel,
  provideReachGateway,
  sendHttpRequest,
  sendTextAndReadResponse,
  waiting,
} from '../testing/reach-world.ts'

const { start, startHttpServer, startInstance } = provideReachGateway()
const megabyte = 1024 * 1024

/** Starts a gateway with an instance at `label`. The test defines the responses of the instance. */
async function startWith(answer: Parameters<typeof startHttpServer>[0], options: Parameters<typeof start>[0] = {}) {
  const instance = await startHttpServer(answer)
  const world = await start(options)
  world.backend.routes.set(label, createReadyRouteTarget(instance.port))
  return { ...world, instance, port: world.gateway.port }
}

/** Starts a gateway with an instance that records the bytes that it receives. */
async function startWithBytes(answer: string) {
  const seen: string[] = []
  const instance = await startInstance((socket) => {
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (text.includes('\r\n\r\n')) {
        seen.push(text)
        socket.write(answer)
      }
    })
    socket.on('end', () => socket.end())
  })
  const world = await start()
  world.backend.routes.set(label, createReadyRouteTarget(instance.port))
  return { ...world, seen, port: world.gateway.port }
}

describe('a request', () => {
  it('a request reaches the instance with method, path, headers and body, and the client receives the response', async () => {
    const { port } = await startWith((request, response) => {
      request.setEncoding('utf8')
      let body = ''
      request.on('data', (text) => {
        body += text
      })
      request.on('end', () => {
        response.writeHead(299, 'Fine', ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-CaSe', 'kept'])
        response.end(`${request.method} ${request.url} ${request.headers.host} ${request.headers['x-mine']} ${body}`)
      })
    })
    const answer = await sendHttpRequest(port, {
      method: 'PATCH',
      path: '/a%20b?c=d',
      headers: { 'x-mine': 'yes' },
      body: 'hello',
    })
    expect([answer.statusCode, answer.statusMessage]).toEqual([299, 'Fine'])
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    expect(answer.rawHeaders).toContain('X-CaSe')
    expect(answer.text).toBe(`PATCH /a%20b?c=d ${hostOf(label)} yes hello`)
  })

  it('a request informs the instance of the client’s real address and protocol, regardless of the client’s headers', async () => {
    const { port, seen } = await startWithBytes('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
    await sendHttpRequest(port, {
      headers: {
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proof': 'stolen',
        forwarded: 'for=203.0.113.9',
        'x-real-ip': '203.0.113.9',
      },
    })
    expect(seen[0]).toContain(`X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: ${hostOf(label)}\r\n`)
    expect(seen[0]).not.toMatch(/203\.0\.113\.9|evil|stolen/)
  })

  it('a request is forwarded without hop-by-hop headers and without the headers that Connection names', async () => {
    const { port, seen } = await startWithBytes(
      'HTTP/1.1 200 OK\r\nConnection: close, x-secret\r\nX-Secret: 1\r\nContent-Length: 2\r\n\r\nok',
    )
    const answer = await sendTextAndReadResponse(
      port,
      `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\nConnection: close, X-Drop\r\nX-Drop: 1\r\nTE: gzip\r\nKeep-Alive: 5\r\nX-Kept: 1\r\nX-Kept: 2\r\n\r\n`,
    )
    expect(seen[0]).not.toMatch(/x-drop|te: gzip|keep-alive: 5/i)
    expect(seen[0]?.match(/x-kept/gi)).toHaveLength(2)
    expect(answer).not.toMatch(/x-secret/i)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/)
  })

  it('a forwarded request carries no cookie of the platform', async () => {
    const { port, seen } = await startWithBytes('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
    await sendHttpRequest(port, { headers: { cookie: 'own=1; __Host-capstan_session=secret; other=2;capstan_session=secret' } })
    expect(seen[0]).toContain('Cookie: own=1; other=2\r\n')
    expect(seen[0]).not.toContain('secret')
  })

  it('a forwarded request does not reveal the address of another instance from which the user came', async () => {
    const { port, seen } = await startWithBytes('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
    const other = `http://${hostOf(otherLabel)}`
    await sendHttpRequest(port, { headers: { referer: `${other}/secret`, origin: other } })
    expect(seen[0]).not.toContain(otherLabel)
    expect(seen[0]).toContain('null')
    await sendHttpRequest(port, { headers: { referer: `http://${hostOf(label)}/own` } })
    expect(seen[1]).toContain(`http://${hostOf(label)}/own`)
    // The page with the link belongs to the same instance, on another port. So the instance may learn the page's address.
    const own = `http://${hostOf(`${label}-8080`)}`
    await sendHttpRequest(port, { headers: { referer: `${own}/shop`, origin: own } })
    expect(seen[2]).toContain(`referer: ${own}/shop`)
    expect(seen[2]).toContain(`origin: ${own}`)
  })

  it('a request reaches an additional port of the instance by a separate host name', async () => {
    const { port, backend } = await startWith((_request, response) => response.end('entry'))
    const shop = await startHttpServer(({ headers }, response) => response.end(`shop of ${headers.host}`))
    backend.routes.set(`${label}-8080`, createReadyRouteTarget(shop.port, { entryPort: 80, furtherPort: 8080 }))
    expect((await sendHttpRequest(port)).text).toBe('entry')
    const host = hostOf(`${label}-8080`)
    expect((await sendHttpRequest(port, { host })).text).toBe(`shop of ${host}`)
    // Check that the row of the second connection contains the additional port.
    const rows = () => [...backend.reports.values()].map(({ way, port: of }) => ({ way, of }))
    await vi.waitFor(() => expect(rows()).toEqual([{ way: 'http' }, { way: 'http', of: 8080 }]), waiting)
    for (const name of [`${label}-8081`, `${label}-080`, `${label}-70000`, `${label}-8080-1`])
      expect((await sendHttpRequest(port, { host: hostOf(name) })).statusCode).toBe(404)
  })

  it.each([
    ['HEAD', ['HTTP/1.1 200 OK', '12345']],
    ['OPTIONS', ['HTTP/1.1 200 OK', '12345']],
  ])('a request with the method %s is forwarded unchanged', async (method, [status, length]) => {
    const { port } = await startWith((_request, response) => {
      response.writeHead(200, { 'content-length': 12_345 })
      response.end(_request.method === 'HEAD' ? undefined : Buffer.alloc(12_345))
    })
    const answer = await sendHttpRequest(port, { method })
    expect([`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`, answer.headers['content-length']]).toEqual([status, length])
  })

  it('a request for a range of a file returns this range', async () => {
    const { port } = await startWith((request, response) => {
      response.writeHead(206, { 'content-range': 'bytes 2-4/10', 'content-length': 3 })
      response.end(request.headers.range === 'bytes=2-4' ? 'abc' : 'bad')
    })
    const answer = await sendHttpRequest(port, { headers: { range: 'bytes=2-4' } })
    expect([answer.statusCode, answer.headers['content-range'], answer.text]).toEqual([206, 'bytes 2-4/10', 'abc'])
  })

  it.each([true, false])('a request with 100 MB arrives complete, in chunks: %s', async (isChunked) => {
    const hash = createHash('sha256')
    const { port } = await startWith((request, response) => {
      request.on('data', (chunk) => hash.update(chunk))
      request.on('end', () => response.end(hash.digest('hex')))
    })
    const block = randomBytes(megabyte)
    const sent = createHash('sha256')
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { host: hostOf(label), ...(isChunked ? {} : { 'content-length': 100 * megabyte }) }
      const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
        let answer = ''
        response.on('data', (chunk) => {
          answer += chunk
        })
        response.once('end', () => resolve(answer))
      })
      request.on('error', reject)
      let left = 100
      const more = () => {
        for (; left > 0; left -= 1) {
          sent.update(block)
          if (!request.write(block)) {
            left -= 1
            request.once('drain', more)
            return
          }
        }
        request.end()
      }
      more()
    })
    expect(text).toBe(sent.digest('hex'))
  })

  it('a request is forwarded with trailers, and the response also has trailers', async () => {
    const { port } = await startWith((request, response) => {
      request.resume()
      request.on('end', () => {
        response.writeHead(200, { trailer: 'x-sum' })
        response.write('abc')
        response.addTrailers({ 'x-sum': `7 ${request.trailers['x-mine']}` })
        response.end()
      })
    })
    const answer = await sendTextAndReadResponse(
      port,
      `POST / HTTP/1.1\r\nHost: ${hostOf(label)}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-Mine\r\n\r\n2\r\nab\r\n0\r\nX-Mine: 9\r\n\r\n`,
    )
    expect(answer).toMatch(/x-sum: 7 9\r\n\r\n$/)
  })

  it('a request gets 100 Continue from the instance if the client expects it', async () => {
    const { port, instance } = await startWith((request, response) => {
      request.on('data', () => {})
      request.on('end', () => response.end('taken'))
    })
    instance.server.on('checkContinue', (request, response) => {
      if (request.url === '/no') {
        response.writeHead(417, { connection: 'close' })
        response.end()
        return
      }
      response.writeContinue()
      instance.server.emit('request', request, response)
    })
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: ${hostOf(label)}\r\nContent-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`
    expect(await sendTextAndReadResponse(port, head('/no'), '\r\n\r\n')).toMatch(/^HTTP\/1\.1 417 /)
    expect(await sendTextAndReadResponse(port, head('/yes'), '\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  })

  it('a request gets each piece of the response as soon as the instance sends it', async () => {
    const next = Promise.withResolvers<void>()
    const { port } = await startWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      await next.promise
      response.end('data: 2\n\n')
    })
    const pieces: string[] = []
    const request = httpRequest({ host: '127.0.0.1', port, headers: { host: hostOf(label) } }, (response) =>
      response.on('data', (chunk) => pieces.push(String(chunk))),
    ).end()
    await vi.waitFor(() => expect(pieces).toEqual(['data: 1\n\n']), waiting)
    next.resolve()
    await vi.waitFor(() => expect(pieces).toEqual(['data: 1\n\n', 'data: 2\n\n']), waiting)
    request.destroy()
  })

  it('a request fails for the client if the instance interrupts its response', async () => {
    const { port } = await startWith((_request, response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('12345')
      response.socket?.destroySoon()
    })
    await expect(sendHttpRequest(port)).rejects.toThrow(/aborted|hang up|ECONNRESET/)
  })

  it('a request is aborted at the instance if its client disconnects', async () => {
    const ended = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const { port } = await startWith((request) => {
      begun.resolve()
      request.socket.once('close', () => ended.resolve())
    })
    const request = httpRequest({ host: '127.0.0.1', port, headers: { host: hostOf(label) } }).end()
    request.on('error', () => {})
    await begun.promise
    request.destroy()
    await ended.promise
  })

  it('a request uses the same connections as the previous request, both from the client and to the instance', async () => {
    let opened = 0
    // Cache the address for a long time, so that even a delayed second request causes no lookup.
    const { port, instance, backend } = await startWith((_request, response) => response.end('ok'), {
      timings: { freshMs: 60_000 },
    })
    instance.server.on('connection', () => {
      opened += 1
    })
    const one = `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\n\r\n`
    const last = `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\nConnection: close\r\n\r\n`
    const socket = connect({ port, host: '127.0.0.1' })
    let text = ''
    socket.on('data', (bytes) => {
      text += String(bytes)
    })
    socket.write(one)
    await vi.waitFor(() => expect(text.match(/\r\nok|2\r\nok/g)).toHaveLength(1), waiting)
    socket.write(last)
    await new Promise((resolve) => socket.once('close', resolve))
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
    expect([opened, backend.asked.route]).toEqual([1, 1])
  })
})

describe('connections to an instance', () => {
  it('connections to an instance are never shared by two clients', async () => {
    const sockets = new Set<unknown>()
    const { port } = await startWith((request, response) => {
      sockets.add(request.socket)
      response.end('ok')
    })
    await sendHttpRequest(port)
    await sendHttpRequest(port)
    expect(sockets.size).toBe(2)
  })

  it('connections to an instance are reused for consecutive requests of the same client', async () => {
    const sockets = new Set<unknown>()
    const { port } = await startWith((request, response) => {
      sockets.add(request.socket)
      response.end('ok')
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = 0; turn < 3; turn += 1)
      expect((await sendHttpRequest(port, { agent, method: 'POST', body: 'x' })).text).toBe('ok')
    agent.destroy()
    expect(sockets.size).toBe(1)
  })

  it('connections to an instance remain separate for each client if clients share a connection of a proxy', async () => {
    const sockets = new Map<string, Set<unknown>>()
    const { port } = await startWith(
      (request, response) => {
        const client = String(request.headers['x-forwarded-for'])
        sockets.set(client, (sockets.get(client) ?? new Set()).add(request.socket))
        response.end('ok')
      },
      { config: { trustedProxies: ['loopback'] } },
    )
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const clients = Array.from({ length: 30 }, (_, index) => `203.0.113.${index}`)
    for (const client of [...clients, ...clients]) await sendHttpRequest(port, { agent, headers: { 'x-forwarded-for': client } })
    agent.destroy()
    expect([...sockets.values()].map(({ size }) => size)).toEqual(clients.map(() => 1))
    expect(new Set([...sockets.values()].flatMap((own) => [...own])).size).toBe(clients.length)
  })

  it('connections to an instance are recorded in rows with user, protocol and bytes', async () => {
    const { port, backend } = await startWith((_request, response) => response.end(Buffer.alloc(1000)))
    await sendHttpRequest(port)
    await vi.waitFor(() => {
      const [row] = [...backend.reports.values()]
      expect(row).toMatchObject({ instanceId, way: 'http', clientAddress: '127.0.0.1', userId: null })
      expect(row?.closedAt).not.toBeNull()
      expect(row?.bytesReceived).toBeGreaterThan(1000)
      expect(row?.bytesSent).toBeGreaterThan(100)
    }, waiting)
  })

  it('connections to an instance end with the instance, even during requests', async () => {
    const { port, backend, gateway } = await startWith((_request, response) => void response.write('beginning'))
    const answer = sendTextAndReadResponse(port, `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\n\r\n`)
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(1), waiting)
    await vi.waitFor(() => expect(backend.reports.size).toBe(1), waiting)
    backend.routes.set(label, { state: 'ended' })
    gateway.bus.publish({ kind: 'instance-ended', instanceId })
    await answer
    expect(gateway.gateway.health().proxyConnections).toBe(0)
    expect((await sendHttpRequest(port)).statusCode).toBe(410)
  })

  it('connections to an instance are not reused after the instance moved, even if the client’s connection remains', async () => {
    const { port, backend, gateway, instance } = await startWith((_request, response) => response.end('old'))
    const fresh = await startHttpServer((_request, response) => response.end('new'))
    const socket = connect({ port, host: '127.0.0.1' })
    let text = ''
    socket.on('data', (bytes) => {
      text += String(bytes)
    })
    const get = `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\n\r\n`
    socket.write(get)
    await vi.waitFor(() => expect(text).toContain('old'), waiting)
    backend.routes.set(label, createReadyRouteTarget(fresh.port))
    gateway.bus.publish({ kind: 'instance-moved', instanceId, from: { host: '127.0.0.1', port: instance.port } })
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
    socket.write(get)
    await vi.waitFor(() => expect(text).toContain('new'), waiting)
    socket.destroy()
  })

  it('connections to an instance are limited per address', async () => {
    const { port } = await startWith((_request, response) => void response.write('on'), {
      config: { limits: { instanceConnectionsPerAddress: 2 } },
    })
    const openSockets = [1, 2].map(() => connect({ port, host: '127.0.0.1' }))
    for (const socket of openSockets) {
      socket.on('error', () => {})
      socket.write(`GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\n\r\n`)
      await new Promise((resolve) => socket.once('data', resolve))
    }
    const refused = await sendHttpRequest(port)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '30'])
    openSockets[0]?.destroy()
    await vi.waitFor(async () => {
      const text = await sendTextAndReadResponse(port, `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\n\r\n`, '\r\n\r\n')
      expect(text).toContain(' 200 ')
    }, waiting)
    for (const socket of openSockets) socket.destroy()
  })
})

describe('a WebSocket', () => {
  it('a WebSocket is accepted by the instance, and carries bytes in both directions until the instance ends', async () => {
    const { port, gateway, instance } = await startWith((_request, response) => response.end())
    const echo = new WebSocketServer({ server: instance.server })
    echo.on('connection', (socket) => socket.on('message', (data) => socket.send(data)))
    const client = new WebSocket(`ws://127.0.0.1:${port}/chat`, { headers: { host: hostOf(label) } })
    await new Promise((resolve, reject) => {
      client.once('open', resolve)
      client.once('error', reject)
    })
    const echoed = new Promise((resolve) => client.once('message', (data) => resolve((data as Buffer).length)))
    client.send(Buffer.alloc(megabyte))
    expect(await echoed).toBe(megabyte)
    const closed = new Promise((resolve) => client.once('close', resolve))
    gateway.bus.publish({ kind: 'instance-ended', instanceId })
    await closed
    expect(gateway.gateway.health().proxyConnections).toBe(0)
    echo.close()
  })

  it('a WebSocket client gets the response of the instance if the instance refuses the upgrade', async () => {
    const { port } = await startWithBytes('HTTP/1.1 403 Nope\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!')
    const answer = await sendTextAndReadResponse(
      port,
      `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 403 Nope\r\n[\s\S]*no!$/)
  })
})

describe('the page for an instance that is not ready', () => {
  it.each([
    [{ state: 'starting' }, 503, 'Gleich geht es los'],
    [{ state: 'ended' }, 410, 'Diese Instanz ist beendet'],
    [{ state: 'unknown' }, 404, 'Diese Instanz gibt es nicht'],
  ] as const)('the page for an instance that is not ready is in the language of the client: %o', async (route, status, title) => {
    const { backend, gateway } = await start()
    backend.routes.set(label, route)
    const answer = await sendHttpRequest(gateway.port, { headers: { accept: 'text/html', 'accept-language': 'de' } })
    expect([answer.statusCode, answer.headers['content-language']]).toEqual([status, 'de-DE'])
    expect(answer.text).toContain(`<h1>${title}</h1>`)
    expect(answer.headers.refresh).toBe(status === 503 ? '2' : undefined)
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it.each(languageCodes)('the page for an instance that is not ready exists in %s for every state', async (language) => {
    const { backend, gateway } = await start()
    for (const state of ['starting', 'ended', 'unknown'] as const) {
      const name = { starting: label, ended: otherLabel, unknown: 'a'.repeat(20) }[state]
      backend.routes.set(name, { state })
      const answer = await sendHttpRequest(gateway.port, {
        host: hostOf(name),
        headers: { accept: 'text/html', 'accept-language': language },
      })
      const { title, text } = serverTexts[language].pages[state]
      expect(answer.headers['content-language']).toBe(language)
      expect(answer.text).toContain(`<html lang="${language}">`)
      expect(answer.text).toContain(`<h1>${title}</h1><p>${text}</p>`)
    }
  })

  it('a client gets an error page if the instance does not answer, and reaches the instance once the instance answers again', async () => {
    const { backend, gateway } = await start()
    backend.routes.set(label, createReadyRouteTarget(1))
    expect((await sendHttpRequest(gateway.port)).statusCode).toBe(502)
    const { port } = await startHttpServer((_request, response) => response.end('there'))
    backend.routes.set(label, createReadyRouteTarget(port))
    expect((await sendHttpRequest(gateway.port)).text).toBe('there')
  })

  it('a client gets 421 if the challenge forbids the gateway to parse HTTP', async () => {
    const { backend, gateway } = await start()
    backend.routes.set(label, createReadyRouteTarget(1, { isRaw: true }))
    expect((await sendHttpRequest(gateway.port)).statusCode).toBe(421)
  })

  it('a client reaches the platform if the host name belongs to no instance', async () => {
    const { gateway } = await start()
    expect((await sendHttpRequest(gateway.port, { host: 'ctf.test', path: '/livez' })).text).toBe('Healthy')
    expect((await sendHttpRequest(gateway.port, { host: hostOf(label), path: '/livez' })).statusCode).toBe(404)
  })
})

describe('a stopping gateway', () => {
  it('a stopping gateway finishes pending requests and accepts no new requests', async () => {
    const finish = Promise.withResolvers<void>()
    const { port, gateway } = await startWith(async (_request, response) => {
      response.write('begin ')
      await finish.promise
      response.end('end')
    })
    const answer = sendHttpRequest(port)
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(1), waiting)
    const closed = gateway.close({ drainMs: 10_000 })
    expect((await sendHttpRequest(port)).statusCode).toBe(503)
    finish.resolve()
    expect((await answer).text).toBe('begin end')
    await closed
  })
})

it('requests to two instances on one connection of a proxy remain separate', async () => {
  const { port, backend } = await startWith((_request, response) => response.end('one'), {
    config: { trustedProxies: ['loopback'] },
  })
  const other = await startHttpServer((_request, response) => response.end('two'))
  backend.routes.set(otherLabel, createReadyRouteTarget(other.port, { instanceId: otherInstanceId }))
  const get = (name: string, end = '') =>
    `GET / HTTP/1.1\r\nHost: ${hostOf(name)}\r\nX-Forwarded-For: 203.0.113.${name === label ? 1 : 2}\r\n${end}\r\n`
  const text = await sendTextAndReadResponse(port, get(label) + get(otherLabel) + get(label, 'Connection: close\r\n'))
  expect(text.match(/one|two/g)).toEqual(['one', 'two', 'one'])
  await vi.waitFor(
    () =>
      expect(new Set([...backend.reports.values()].map(({ clientAddress }) => clientAddress))).toEqual(
        new Set(['203.0.113.1', '203.0.113.2']),
      ),
    waiting,
  )
})
