import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { createReplicaLookup } from '@capstan/http/replica-lookup'
import { openTracer } from '@capstan/tracing/open-tracer'
import { startOtlpStandIn } from '@capstan/tracing/testing/otlp-stand-in'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildPagesApp } from './app.ts'
import type { PagesConfig } from './config.ts'

let folder: string
let upstream: Server
let config: PagesConfig
let app: Awaited<ReturnType<typeof buildPagesApp>>['app']
let address: string
/** Repository URL in the settings that the simulated api returns. */
let info: { readonly repository?: string } = {}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'capstan-pages-'))
  await mkdir(path.join(folder, 'static'))
  await writeFile(
    path.join(folder, 'index.html'),
    '<title>%title%</title><meta name="repository" content="%repository%"><script nonce="%nonce%" src="/static/app-1.js"></script>',
  )
  await writeFile(path.join(folder, 'static', 'app-1.js'), 'console.log(1)')
  await writeFile(path.join(folder, 'static', 'app-1.js.br'), 'as brotli')
  await writeFile(path.join(folder, 'static', 'app-1.js.gz'), 'as gzip')
  await writeFile(path.join(folder, 'static', 'font-1.woff2'), 'font')
  await writeFile(path.join(folder, 'static', 'empty-1.css'), '')
  await writeFile(path.join(folder, 'mark.svg'), '<svg/>')
  await writeFile(path.join(folder, 'notes.txt'), '0123456789')
  upstream = createServer((request, response) => {
    if (request.url === '/internal/page-settings') {
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify(
          request.headers.authorization === 'Bearer token' ? { title: 'Harbour & Co', description: '', ...info } : {},
        ),
      )
      return
    }
    if (request.url === '/api/headers') return void response.end(JSON.stringify(request.headers))
    response.statusCode = 418
    if (request.headers.traceparent) response.setHeader('x-got-traceparent', request.headers.traceparent)
    response.end(`${request.method} ${request.url} ${request.headers.host} ${request.headers['x-forwarded-for']}`)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  upstream.on('upgrade', (request, socket) => {
    if (request.url?.endsWith('/lasting')) {
      socket.on('end', () => socket.end('goodbye')).resume()
      return void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    }
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n${request.url} ${request.headers.host} ${request.headers['x-forwarded-for']}`,
    )
  })
  config = {
    host: '127.0.0.1',
    port: 0,
    trustedProxies: false,
    apiUrl: url,
    gatewayUrl: url,
    internalToken: 'token',
    folder,
    logLevel: 'silent',
    shutdownDelayMs: 0,
    drainMs: 0,
  }
  ;({ app } = await buildPagesApp(config))
  address = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await app.close()
  upstream.close()
})

test('serves the index page with title and fresh nonce for every path that has no extension', async () => {
  const [first, second] = await Promise.all([app.inject('/'), app.inject('/games/1/Challenges')])
  expect(second.statusCode).toBe(200)
  expect(second.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(second.body).toContain('<title>Harbour &amp; Co</title>')
  const nonceOf = (body: string) => /nonce="([^"]+)"/.exec(body)?.[1]
  expect(nonceOf(first.body)).not.toBe(nonceOf(second.body))
  expect(second.headers['content-security-policy']).toContain(`'nonce-${nonceOf(second.body)}'`)
})

test.each(['/', '/static/app-1.js', '/static/nothing.js', '/livez', '/readyz', '/metrics'])(
  'forbids content sniffing for %s',
  async (url) => {
    expect((await app.inject(url)).headers['x-content-type-options']).toBe('nosniff')
  },
)

test('ignores the body of a request for a page', async () => {
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const answer = await fetch(`${address}/games`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: '['.repeat(2 * 1024 * 1024),
    })
    expect([type, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([type, 404, 'route.not-found'])
  }
})

test('lets clients cache hashed files forever and all other files for a week, and answers 404 for missing files', async () => {
  const found = await app.inject('/static/app-1.js')
  expect([found.statusCode, found.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
  expect([found.headers.etag, found.headers['last-modified'], found.headers['accept-ranges']]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  const named = await app.inject('/mark.svg')
  expect([named.statusCode, named.headers['cache-control']]).toEqual([200, 'public, max-age=604800'])
  expect(named.headers.etag).toBeDefined()
  expect((await app.inject('/static/nothing.js')).statusCode).toBe(404)
  expect((await app.inject('/static/../../etc/passwd.txt')).statusCode).toBe(404)
})

test.each([
  ['gzip, deflate, br, zstd', 'br', 'as brotli'],
  ['gzip, deflate', 'gzip', 'as gzip'],
  ['identity', undefined, 'console.log(1)'],
])('sends the preferred copy of a file to a client that accepts %s', async (accepted, encoding, body) => {
  const answer = await app.inject({ url: '/static/app-1.js', headers: { 'accept-encoding': accepted } })
  expect([answer.statusCode, answer.headers['content-encoding'], answer.body]).toEqual([200, encoding, body])
  expect(answer.headers['content-type']).toMatch(/^(text|application)\/javascript/)
  expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(answer.headers.vary).toContain('accept-encoding')
})

test('sends the original file if it has no precompressed copy, and answers 404 to the name of a copy', async () => {
  const font = await app.inject({ url: '/static/font-1.woff2', headers: { 'accept-encoding': 'br' } })
  expect([font.statusCode, font.headers['content-encoding'], font.body]).toEqual([200, undefined, 'font'])
  expect((await app.inject('/static/app-1.js.br')).statusCode).toBe(404)
})

test.each([
  ['bytes=2-5', 206, 'bytes 2-5/10', '2345'],
  ['bytes=7-', 206, 'bytes 7-9/10', '789'],
  ['bytes=-1', 206, 'bytes 9-9/10', '9'],
  ['bytes=0-99', 206, 'bytes 0-9/10', '0123456789'],
  ['bytes=0-1,4-5', 200, undefined, '0123456789'],
  ['bytes=10-', 416, 'bytes */10', undefined],
])('answers the range %s of a file that is not hashed', async (range, status, contentRange, body) => {
  const answer = await app.inject({ url: '/notes.txt', headers: { range } })
  expect([answer.statusCode, answer.headers['content-range']]).toEqual([status, contentRange])
  if (body !== undefined) expect([answer.body, answer.headers['content-length']]).toEqual([body, String(body.length)])
})

test('answers a range of the precompressed copy', async () => {
  const headers = { range: 'bytes=3-8', 'accept-encoding': 'br' }
  const answer = await app.inject({ url: '/static/app-1.js', headers })
  expect([answer.statusCode, answer.headers['content-encoding'], answer.body]).toEqual([206, 'br', 'brotli'])
})

test('answers HEAD with the length of the file, and 304 to a client that has the file', async () => {
  const head = await app.inject({ method: 'HEAD', url: '/notes.txt' })
  expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, '10', ''])
  const known = await app.inject({ url: '/notes.txt', headers: { 'if-none-match': String(head.headers.etag) } })
  expect([known.statusCode, known.body]).toEqual([304, ''])
  const changed = await app.inject({ url: '/notes.txt', headers: { range: 'bytes=0-1', 'if-range': '"another"' } })
  expect([changed.statusCode, changed.body]).toEqual([200, '0123456789'])
  expect((await app.inject('/static/empty-1.css')).body).toBe('')
})

test('reads the files only at the start, so that slow clients share their contents', async () => {
  const { app: started } = await buildPagesApp(config)
  onTestFinished(() => started.close())
  const contentOf = async (url: string) => (await started.inject(url)).body
  const file = path.join(folder, 'static', 'font-1.woff2')
  await writeFile(file, 'late')
  onTestFinished(() => writeFile(file, 'font'))
  expect(await contentOf('/static/font-1.woff2')).toBe('font')
})

test('forwards requests unchanged, with the client’s host name', async () => {
  const response = await fetch(`${address}/api/account/login?a=1`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  expect([response.status, await response.text()]).toEqual([
    418,
    `POST /api/account/login?a=1 ${new URL(address).host} 127.0.0.1`,
  ])
  expect(await (await fetch(`${address}/hub/user/negotiate`)).text()).toContain('GET /hub/user/negotiate')
})

const claims = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-proof': 'guessed',
  'x-real-ip': '203.0.113.9',
  forwarded: 'for=203.0.113.9;host=evil.example;proto=https',
}

async function headersBehind(url: string, headers: Record<string, string> = claims) {
  const passed = (await (await fetch(`${url}/api/headers`, { headers })).json()) as Record<string, string>
  return Object.fromEntries(Object.entries(passed).filter(([name]) => /^(x-forwarded|x-real|forwarded)/.test(name)))
}

test('discards proxy headers if the client is not trusted', async () => {
  const proof = expect.stringMatching(/^[\w-]{43}$/)
  const passed = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http', 'x-forwarded-proof': proof }
  expect(await headersBehind(address)).toEqual(passed)
  const socket = connect(Number(new URL(address).port), '127.0.0.1', () =>
    socket.write(
      'GET /hub/user HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ),
  )
  expect(await text(socket)).toMatch(/\/hub\/user x 127\.0\.0\.1$/)
  socket.destroy()
})

test('reduces X-Forwarded-For of trusted proxies to the address of the client', async () => {
  const { app: behind } = await buildPagesApp({ ...config, trustedProxies: ['127.0.0.1', '192.0.2.1'] })
  const url = await behind.listen({ host: '127.0.0.1', port: 0 })
  expect(await headersBehind(url, { ...claims, 'x-forwarded-for': '1.1.1.1, 203.0.113.9, 192.0.2.1' })).toEqual({
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-proof': expect.stringMatching(/^[\w-]{43}$/),
  })
  await behind.close()
})

test('answers /healthz with the health of the api, and /livez with its own health', async () => {
  expect(await (await fetch(`${address}/healthz`)).text()).toContain('GET /healthz')
  expect(await (await fetch(`${address}/livez`)).text()).toBe('Healthy')
})

test('answers 404 with a problem body if the address is not a page, for every method', async () => {
  for (const [method, url] of [
    ['GET', '/nothing.txt'],
    ['POST', '/games'],
  ] as const) {
    const answer = await app.inject({ method, url })
    expect([answer.statusCode, answer.json()]).toEqual([404, { title: expect.any(String), status: 404, code: 'route.not-found' }])
  }
})

test('sends Strict-Transport-Security only if a trusted proxy reports HTTPS', async () => {
  const { app: behind } = await buildPagesApp({ ...config, trustedProxies: ['10.0.0.1'] })
  const policyOf = async (remoteAddress: string, headers: Record<string, string> = {}) =>
    (await behind.inject({ url: '/', headers, remoteAddress })).headers['strict-transport-security']
  expect(await policyOf('10.0.0.1')).toBeUndefined()
  expect(await policyOf('10.0.0.1', { 'x-forwarded-proto': 'https' })).toBe('max-age=31536000')
  expect(await policyOf('10.0.0.2', { 'x-forwarded-proto': 'https' })).toBeUndefined()
  await behind.close()
})

test('forwards WebSockets on paths of gateway and api, and closes WebSockets on all other paths', async () => {
  const { port } = app.server.address() as AddressInfo
  const upgrade = (path: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ctf.example.org\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`),
      )
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('close', () => resolve(received))
      socket.on('error', () => {})
    })
  expect(await upgrade('/hub/user?game=1')).toContain('/hub/user?game=1 ctf.example.org')
  const terminal = '/api/admin/instances/1/containers/db/terminal'
  expect(await upgrade(terminal)).toContain(`${terminal} ctf.example.org`)
  expect(await upgrade('/elsewhere')).toBe('')
})

test('on termination, the process becomes unready, answers late requests, and closes WebSockets last', async () => {
  const leaving = await buildPagesApp({ ...config, shutdownDelayMs: 1_500, drainMs: 300 })
  const address = await leaving.app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect(Number(new URL(address).port), '127.0.0.1', () =>
    socket.write('GET /hub/lasting HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  )
  socket.on('error', () => {})
  await once(socket, 'data')
  const left = leaving.leave()
  const answers = await Promise.all(['/readyz', '/', '/api/game'].map((path) => fetch(address + path)))
  expect(answers[0]?.status).toBe(503)
  for (const answer of answers) expect(answer.headers.get('connection')).toBe('close')
  expect(socket.closed).toBe(false)
  await Promise.all([left, once(socket, 'close')])
  await expect(fetch(address)).rejects.toThrow()
})

test('answers 503 with a translated text if the api is unavailable', async () => {
  const { app: unreachable } = await buildPagesApp({ ...config, apiUrl: 'http://127.0.0.1:9', gatewayUrl: 'http://127.0.0.1:9' })
  const address = await unreachable.listen({ host: '127.0.0.1', port: 0 })
  const answers = ['en-US', 'de-DE'].map(async (language) => {
    const response = await fetch(`${address}/api/game`, { headers: { 'accept-language': language } })
    return [response.status, response.headers.get('content-language'), await response.json()]
  })
  const status = { status: 503, code: 'server.unavailable' }
  expect(await Promise.all(answers)).toEqual([
    [503, 'en-US', { title: 'Please try again later', ...status }],
    [503, 'de-DE', { title: 'Bitte versuche es später noch einmal', ...status }],
  ])
  await unreachable.close()
})

test('sends its trace id with forwarded requests', async () => {
  const collector = await startOtlpStandIn()
  const tracer = await openTracer('capstan-web', { endpoint: collector.endpoint, sampleRatio: 1 })
  const tracing = await buildPagesApp(config, { tracer })
  const address = await tracing.app.listen({ host: '127.0.0.1', port: 0 })
  const response = await fetch(`${address}/api/game`, { headers: { traceparent: 'nonsense' } })
  await response.text()
  await (await fetch(`${address}/readyz`)).text()
  await tracing.app.close()
  await tracer?.close()
  await collector.close()
  const { traceId, spanId } = collector.span('GET api')
  expect(response.headers.get('x-got-traceparent')).toBe(`00-${traceId}-${spanId}-01`)
  expect(collector.spans).toHaveLength(1)
})

test('retries are counted if only a second replica of the api accepts the request', async () => {
  const api = createServer((_request, response) => response.end('answer'))
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.2', resolve))
  onTestFinished(() => void api.close())
  // No server listens at the first address.
  const addresses = ['127.0.0.3', '127.0.0.2'].map((address) => ({ address, family: 4 as const }))
  const replicas = createReplicaLookup({ resolve: async () => addresses })
  const apiUrl = `http://api.example:${(api.address() as AddressInfo).port}`
  const { app: pages, metrics } = await buildPagesApp({ ...config, apiUrl }, { replicas })
  const origin = await pages.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => pages.close())
  const retriesOf = async () => Number(/^capstan_hop_retries_total (\d+)$/m.exec(await metrics.metrics())?.[1])
  expect(await retriesOf()).toBe(0)
  for (let call = 0; call < 4; call += 1) {
    const answer = await fetch(`${origin}/api/game/1`, { method: 'POST', body: '{}', headers: { connection: 'close' } })
    expect([answer.status, await answer.text()]).toEqual([200, 'answer'])
  }
  expect(await retriesOf()).toBeGreaterThan(0)
})

test('answers 404 for internal addresses of the api and for metrics', async () => {
  for (const path of ['/internal/session', '/metrics', '/METRICS', '/metrics/x'])
    expect([path, (await app.inject(path)).statusCode]).toEqual([path, 404])
})

/** Sends a GET request and returns the response. `fetch` would normalize the path. */
async function answerTo(target: string): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  return text(socket)
}

test.each([
  '/api/../internal/page-settings',
  '/api/%2e%2E/internal/page-settings',
  '/api/.%2e%2Finternal/page-settings',
  '/api/x%5c..%5c..%5cinternal',
  '/api/x\\..\\..\\internal',
  '/assets/./x',
  '/hub/..',
])('forwards no request whose path has a dot segment: %s', async (target) => {
  expect(await answerTo(target)).toMatch(/^HTTP\/1\.1 404 /)
})

test.each(['/api/a..b/.c/d.', '/api/...', '/api/x?path=/../y'])('forwards dots that are no dot segment: %s', async (target) => {
  expect(await answerTo(target)).toContain(`GET ${target} x 127.0.0.1`)
})

test('on termination, the process exits only after the last connection to an instance is closed', async () => {
  const leaving = await buildPagesApp({ ...config, drainMs: 60_000 })
  const address = await leaving.app.listen({ host: '127.0.0.1', port: 0 })
  const open = async (path: string) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`),
    )
    socket.on('error', () => {})
    await once(socket, 'data')
    return socket
  }
  const hub = await open('/hub/lasting')
  const tunnel = await open('/api/proxy/lasting')
  const left = leaving.leave()
  // The gateway closes the socket of a hub client with a close message. The client then connects to another process.
  const farewell: Buffer[] = []
  hub.on('data', (chunk) => farewell.push(chunk))
  await once(hub, 'close')
  expect(Buffer.concat(farewell).toString()).toBe('goodbye')
  expect(tunnel.closed).toBe(false)
  tunnel.destroy()
  await left
})

test('links to the repository in the admin settings, or by default to the repository of the deployment', async () => {
  const shown = async (repositoryUrl?: string) => {
    const other = (await buildPagesApp({ ...config, repositoryUrl })).app
    const { body } = await other.inject('/')
    await other.close()
    return /content="([^"]*)"/.exec(body)?.[1]
  }
  expect([await shown(), await shown('https://git.example.org/ours')]).toEqual(['', 'https://git.example.org/ours'])
  info = { repository: 'https://git.example.org/fork' }
  expect([await shown(), await shown('https://git.example.org/ours')]).toEqual(Array(2).fill('https://git.example.org/fork'))
  info = {}
})
