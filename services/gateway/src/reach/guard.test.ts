import { connect } from 'node:net'
import { languageCodes } from '@capstan/contract/languages'
import { serverTexts } from '@capstan/contract/server-texts'
import { describe, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  createReadyRouteTarget,
  hostOf,
  label,
  otherInstanceId,
  otherLabel,
  provideReachGateway,
  sendHttpRequest,
  sendTextAndReadResponse,
  waiting,
} from '../testing/reach-world.ts'

const { start, startHttpServer } = provideReachGateway()
const key = '0f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a'
const otherKey = '1f5d7c1e-7a6b-4a53-9c55-1f2e3d4c5b6a'

/** Starts a gateway with a guarded instance. The instance records the data that it receives. */
async function startGuarded(limits: NonNullable<NonNullable<Parameters<typeof start>[0]>['config']>['limits'] = {}) {
  const seen: { url: string | undefined; headers: string }[] = []
  const instance = await startHttpServer((request, response) => {
    seen.push({ url: request.url, headers: request.rawHeaders.join('\n') })
    response.end('secret of the team')
  })
  const world = await start({ config: { limits } })
  world.backend.routes.set(label, createReadyRouteTarget(instance.port, { key }))
  world.backend.routes.set(otherLabel, createReadyRouteTarget(instance.port, { key: otherKey, instanceId: otherInstanceId }))
  return { ...world, seen, instance, port: world.gateway.port }
}

describe('a guarded instance', () => {
  it.each([
    ['nothing', {}, '/'],
    ['a key that is none', { headers: { 'capstan-key': 'guess' } }, '/'],
    ["another instance's key", { headers: { 'capstan-key': otherKey } }, '/'],
    ["another instance's cookie", { headers: { cookie: `capstan_key=${otherKey}` } }, '/'],
    ['the cookie of HTTPS on plain HTTP', { headers: { cookie: `__Host-capstan_key=${key}` } }, '/'],
    ['a link with another key', {}, `/.capstan/open?key=${otherKey}`],
    ['a link without a key', {}, '/.capstan/open'],
    ['the key in an address of the application', {}, `/?key=${key}`],
    ['a session of the platform', { headers: { cookie: 'capstan_session=player' } }, '/'],
  ])('a guarded instance receives no byte from a client with %s', async (_name, options, path) => {
    const { port, seen, gateway } = await startGuarded()
    const answer = await sendHttpRequest(port, { ...options, path, method: 'POST', body: 'hello' })
    expect([answer.statusCode, answer.headers['set-cookie'], answer.headers['cache-control']]).toEqual([
      403,
      undefined,
      'no-store',
    ])
    expect(seen).toEqual([])
    expect(gateway.gateway.health().proxyConnections).toBe(0)
  })

  it('requests without the key of a guarded instance count neither as attempts nor as connections', async () => {
    const { port, seen } = await startGuarded({ proxyAttemptsPerInstanceMinute: 2, instanceConnections: 1 })
    for (let stranger = 0; stranger < 5; stranger += 1) expect((await sendHttpRequest(port)).statusCode).toBe(403)
    expect((await sendHttpRequest(port, { headers: { 'capstan-key': key } })).text).toBe('secret of the team')
    expect(seen).toHaveLength(1)
  })

  it('a link with the key opens a guarded instance, and sets a cookie for only this host', async () => {
    const { port, seen } = await startGuarded()
    const opened = await sendHttpRequest(port, { path: `/.capstan/open?key=${key}` })
    expect([opened.statusCode, opened.headers.location, opened.headers['referrer-policy']]).toEqual([303, '/', 'no-referrer'])
    expect(opened.headers['set-cookie']).toEqual([`capstan_key=${key}; Path=/; HttpOnly; SameSite=Lax`])
    expect(seen).toEqual([])
  })

  it('a cookie with the key opens a guarded instance, which receives only the other cookies', async () => {
    const { port, seen } = await startGuarded()
    const cookie = `mine=1; capstan_key=${key}; other=2`
    expect((await sendHttpRequest(port, { path: '/page', headers: { cookie } })).text).toBe('secret of the team')
    expect(seen.map(({ url }) => url)).toEqual(['/page'])
    expect(seen[0]?.headers).toContain('mine=1; other=2')
    expect(seen[0]?.headers).not.toContain(key)
  })

  it('the gateway accepts the access key of an instance from a header, and does not forward the header', async () => {
    const { port, seen } = await startGuarded()
    expect((await sendHttpRequest(port, { headers: { 'Capstan-Key': key } })).text).toBe('secret of the team')
    expect(seen[0]?.headers).not.toContain(key)
  })

  it('no sibling host can replace the cookie of a guarded instance if clients connect over HTTPS', async () => {
    const { gateway, backend } = await startGuarded()
    const trusted = await start({ config: { trustedProxies: ['loopback'] } })
    trusted.backend.routes.set(label, backend.routes.get(label)!)
    expect(gateway.port).not.toBe(trusted.gateway.port)
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.1' }
    const opened = await sendHttpRequest(trusted.gateway.port, { path: `/.capstan/open?key=${key}`, headers })
    expect(opened.headers['set-cookie']).toEqual([`__Host-capstan_key=${key}; Path=/; HttpOnly; SameSite=Lax; Secure`])
    const page = async (cookie: string) =>
      (await sendHttpRequest(trusted.gateway.port, { headers: { ...headers, cookie } })).statusCode
    // The cookie without the prefix is ignored, because a sibling host can set it for the whole domain.
    expect([await page(`capstan_key=${key}`), await page(`__Host-capstan_key=${key}`)]).toEqual([403, 200])
  })

  it('a client with the key gets a response at once, even while a stranger with the same address waits', async () => {
    const { backend } = await startGuarded()
    const trusted = await start({ config: { trustedProxies: ['loopback'] } })
    const answers: (() => void)[] = []
    trusted.backend.route = () =>
      new Promise((resolve) => answers.push(() => resolve(backend.routes.get(label) ?? { state: 'unknown' })))
    const headers = { 'x-forwarded-for': '203.0.113.1' }
    const come = (more: Record<string, string> = {}) =>
      sendHttpRequest(trusted.gateway.port, { headers: { ...headers, ...more } })
    const stranger = come()
    await vi.waitFor(() => expect(answers).toHaveLength(1), waiting)
    // The lookup is no longer cached, so each further request causes a call to the api.
    trusted.gateway.bus.publish({ kind: 'instance-ended', instanceId: otherInstanceId })
    const mine = come({ 'capstan-key': key })
    await vi.waitFor(() => expect(answers).toHaveLength(2), waiting)
    answers[1]!()
    expect((await mine).text).toBe('secret of the team')
    answers[0]!()
    expect((await stranger).statusCode).toBe(403)
  })

  it('a guarded instance refuses a request without the key, even if an earlier request on the connection had the key', async () => {
    const { port, seen } = await startGuarded()
    const get = (more: string) => `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\n${more}\r\n`
    const mine = `Capstan-Key: ${key}\r\n`
    const answer = await sendTextAndReadResponse(port, get('') + get(mine) + get('') + get(`${mine}Connection: close\r\n`))
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200', 'HTTP/1.1 403', 'HTTP/1.1 200'])
    expect(seen).toHaveLength(2)
  })

  it('a guarded instance opens a WebSocket only if the client has the key', async () => {
    const { port, instance } = await startGuarded()
    const server = new WebSocketServer({ server: instance.server })
    const connectWith = (headers: Record<string, string>) =>
      new Promise<string>((resolve) => {
        const client = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host: hostOf(label), ...headers } })
        client.once('open', () => {
          resolve('open')
          client.terminate()
        })
        client.once('unexpected-response', (_request, response) => {
          resolve(String(response.statusCode))
          response.destroy()
        })
        client.once('error', () => {})
      })
    expect([await connectWith({}), await connectWith({ cookie: `capstan_key=${key}` })]).toEqual(['403', 'open'])
    server.close()
  })

  it('a guarded instance cannot be reached through its plain port', async () => {
    const { rawPort, backend, seen } = await startGuarded()
    backend.routes.set(rawPort, backend.routes.get(label)!)
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(rawPort, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
      socket.on('data', (bytes) => {
        text += String(bytes)
      })
      socket.on('error', () => {})
      socket.once('close', () => resolve(text))
    })
    expect([answer, seen]).toEqual(['', []])
  })

  it.each(languageCodes)('a guarded instance shows a form for its key in %s', async (language) => {
    const { port } = await startGuarded()
    const { text, headers } = await sendHttpRequest(port, { headers: { accept: 'text/html', 'accept-language': language } })
    const { pages, opening } = serverTexts[language]
    expect(headers['content-language']).toBe(language)
    for (const part of [pages.guarded.title, pages.guarded.text, opening.key, opening.open]) expect(text).toContain(part)
    expect(text).toContain('<form action="/.capstan/open">')
    expect(headers['content-security-policy']).toContain("form-action 'self'")
  })
})
