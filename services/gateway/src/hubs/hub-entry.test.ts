import { problemTitle } from '@capstan/contract/server-texts'
import { describe, expect, it, vi } from 'vitest'
import {
  aNotice,
  createNoticeFrame,
  expectReceivedText,
  handshake,
  openHubClient,
  provideHubGateway,
  waiting,
} from '../testing/hub-world.ts'
import { catchRefusedUpgrade, openRawWebSocket } from '../testing/raw-client.ts'
import { startTestGateway } from '../testing/test-gateway.ts'

const { start } = provideHubGateway()

describe('negotiation', () => {
  it('negotiation offers WebSockets, and returns an id and a token', async () => {
    const { origin } = await start()
    const response = await fetch(`${origin}/hub/user/negotiate?game=7&negotiateVersion=1`, { method: 'POST' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({
      negotiateVersion: 1,
      connectionId: expect.stringMatching(/.+/),
      connectionToken: expect.stringMatching(/.+/),
      availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }],
    })
  })

  it('negotiation issues a token that is valid on another replica with the same secret', async () => {
    const replica = await startTestGateway()
    const { webSocketOrigin } = await start()
    try {
      const response = await fetch(`${replica.origin}/hub/user/negotiate?game=7&negotiateVersion=1`, { method: 'POST' })
      const { connectionToken } = (await response.json()) as { connectionToken: string }
      const client = await openRawWebSocket(`${webSocketOrigin}/hub/user?game=7&id=${connectionToken}`)
      client.socket.send(handshake)
      await expectReceivedText(client, '{}\x1e')
    } finally {
      await replica.close()
    }
  })

  it('negotiation accepts only POST', async () => {
    const { origin } = await start()
    const response = await fetch(`${origin}/hub/user/negotiate`)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  it('negotiation of version 0 returns a single id, with which an old client can connect', async () => {
    const { origin, webSocketOrigin } = await start()
    const answer = (await (await fetch(`${origin}/hub/user/negotiate?game=7`, { method: 'POST' })).json()) as {
      connectionId: string
    }
    const client = await openRawWebSocket(`${webSocketOrigin}/hub/user?game=7&id=${answer.connectionId}`)
    client.socket.send(handshake)
    await expectReceivedText(client, '{}\x1e')
  })
})

describe('connecting to a hub', () => {
  it('connecting to a hub works if the client skips negotiation', async () => {
    const client = await openHubClient(await start(), '/hub/user?game=7')
    expect(client.text()).toBe('{}\x1e')
  })

  it('the api receives the client protocol that a trusted proxy has reported', async () => {
    const gateway = await start({ config: { trustedProxies: true } })
    await openHubClient(gateway, '/hub/monitor', { cookie: 'session=monitor', 'x-forwarded-proto': 'https' })
    await openHubClient(gateway, '/hub/admin', { cookie: 'session=admin' })
    const monitor = { cookie: 'session=monitor', protocol: 'https' }
    const admin = { cookie: 'session=admin', protocol: 'http' }
    // Each client causes two calls to the api: one for its user and one for its permission.
    expect(gateway.backend.questions).toEqual([monitor, monitor, admin, admin])
  })

  it.each(['Bearer of.all', 'Bearer of.seven'])(
    'connecting to the hub of monitors works with the API token %s instead of a session',
    async (authorization) => {
      const gateway = await start()
      const client = await openHubClient(gateway, '/hub/monitor?game=7', { authorization })
      expect(client.text()).toBe('{}\x1e')
      expect(gateway.backend.questions.at(-1)).toEqual({ cookie: '', protocol: 'http', authorization })
    },
  )

  it('the path of a hub and the names of its parameters may be in upper or lower case', async () => {
    const gateway = await start()
    const client = await openHubClient(gateway, '/HUB/User?Game=7')
    gateway.bus.publish(aNotice(7, 'hello'))
    await expectReceivedText(client, `{}\x1e${createNoticeFrame('hello')}`)
  })

  it.each(['made-up', '', 'AAAA'.repeat(18)])('connecting is refused with 404 for the unknown token "%s"', async (token) => {
    const { webSocketOrigin } = await start()
    const refusal = await catchRefusedUpgrade(`${webSocketOrigin}/hub/user?game=7&id=${token}`)
    expect(refusal.status).toBe(404)
    expect(refusal.body).toEqual({
      title: 'There is nothing at this address',
      status: 404,
      code: 'route.not-found',
      requestId: expect.stringMatching(/.+/),
    })
  })

  it('connecting to a hub is refused for a page of another site', async () => {
    const { webSocketOrigin } = await start()
    const refusal = await catchRefusedUpgrade(`${webSocketOrigin}/hub/user?game=7`, { origin: 'https://evil.example' })
    expect([refusal.status, (refusal.body as { code: string }).code]).toEqual([403, 'request.origin'])
  })

  it('connecting to a hub is allowed for a page of our site', async () => {
    const gateway = await start()
    const client = await openHubClient(gateway, '/hub/user?game=7', { origin: gateway.origin })
    expect(client.text()).toBe('{}\x1e')
  })

  it('a request to a hub is refused with 400 if it does not open a WebSocket', async () => {
    const { origin } = await start()
    expect((await fetch(`${origin}/hub/user?game=7`)).status).toBe(400)
  })

  it('connecting to a hub is refused with 404 at the address of an unknown hub', async () => {
    const { origin, webSocketOrigin } = await start()
    expect((await fetch(`${origin}/hub/other`)).status).toBe(404)
    expect((await catchRefusedUpgrade(`${webSocketOrigin}/hub/other`)).status).toBe(404)
  })

  it('connections to a hub use no compression', async () => {
    const client = await openHubClient(await start(), '/hub/user?game=7')
    expect(client.socket.extensions).toBe('')
  })
})

describe('the handshake', () => {
  it('the handshake may be split into several frames', async () => {
    const { webSocketOrigin } = await start()
    const client = await openRawWebSocket(`${webSocketOrigin}/hub/user?game=7`)
    for (const character of handshake) client.socket.send(character)
    await expectReceivedText(client, '{}\x1e')
  })

  it('the handshake may be in the same frame as the first messages', async () => {
    const { webSocketOrigin } = await start()
    const client = await openRawWebSocket(`${webSocketOrigin}/hub/user?game=7`)
    client.socket.send(`${handshake}{"type":6}\x1e{"type":1,"invocationId":"1","target":"Hello","arguments":[]}\x1e`)
    await expectReceivedText(client, '{}\x1e{"type":3,"invocationId":"1","error":"This hub has no methods"}\x1e')
  })

  it('the handshake may arrive in binary frames', async () => {
    const { webSocketOrigin } = await start()
    const client = await openRawWebSocket(`${webSocketOrigin}/hub/user?game=7`)
    client.socket.send(Buffer.from(handshake))
    await expectReceivedText(client, '{}\x1e')
  })

  it.each([
    ['{"protocol":"messagepack","version":1}', 'Only the protocol "json" is supported'],
    ['{"protocol":"json","version":9}', 'Only version 1 of the protocol "json" is supported'],
    ['nonsense', 'The handshake is not a JSON object'],
  ])('the handshake is refused with a reason if it is %s', async (text, error) => {
    const { webSocketOrigin } = await start()
    const client = await openRawWebSocket(`${webSocketOrigin}/hub/user?game=7`)
    client.socket.send(`${text}\x1e`)
    expect(await client.closed).toBe(1000)
    expect(client.text()).toBe(`${JSON.stringify({ error })}\x1e`)
  })

  it('the gateway closes the connection if the client sends no handshake in time', async () => {
    const { webSocketOrigin } = await start({ timings: { handshakeMs: 60 } })
    const client = await openRawWebSocket(`${webSocketOrigin}/hub/user?game=7`)
    await client.closed
    expect(client.text()).toBe('{"error":"The handshake took too long"}\x1e')
  })
})

describe('the connection after the handshake', () => {
  const cases: [string, string | undefined, string][] = [
    ['/hub/user', undefined, 'There is no such game'],
    ['/hub/user?game=', undefined, 'There is no such game'],
    ['/hub/user?game=abc', undefined, 'There is no such game'],
    ['/hub/user?game=99', undefined, 'There is no such game'],
    ['/hub/user?game=99999999999', undefined, 'There is no such game'],
    ['/hub/monitor?game=7', undefined, 'Please log in first'],
    ['/hub/monitor?game=7', 'session=expired', 'Please log in first'],
    ['/hub/monitor?game=7', 'session=player', 'You are not allowed to do this'],
    ['/hub/monitor?game=7', 'session=banned', 'User has been banned'],
    ['/hub/monitor', 'session=monitor', 'There is no such game'],
    ['/hub/monitor?game=99', 'session=admin', 'There is no such game'],
    ['/hub/admin', undefined, 'Please log in first'],
    ['/hub/admin', 'session=player', 'You are not allowed to do this'],
    ['/hub/admin', 'session=monitor', 'You are not allowed to do this'],
  ]

  it.each(cases)('the connection is closed for the address %s and the cookie %s: %s', async (path, cookie, error) => {
    const { webSocketOrigin } = await start()
    const client = await openRawWebSocket(webSocketOrigin + path, cookie === undefined ? {} : { cookie })
    client.socket.send(handshake)
    expect(await client.closed).toBe(1000)
    expect(client.text()).toBe(`{}\x1e{"type":7,"error":"${error}"}\x1e`)
  })

  it.each([
    ['/hub/monitor?game=7', 'Bearer of.nobody', 'Please log in first'],
    ['/hub/monitor?game=8', 'Bearer of.seven', 'This API token is for another game'],
    // This token would be valid at the hub of monitors, which is the only hub that accepts tokens.
    ['/hub/admin', 'Bearer of.all', 'Please log in first'],
  ])('the connection is closed for the address %s and the token %s: %s', async (path, authorization, error) => {
    const { webSocketOrigin } = await start()
    const client = await openRawWebSocket(webSocketOrigin + path, { authorization })
    client.socket.send(handshake)
    expect(await client.closed).toBe(1000)
    expect(client.text()).toBe(`{}\x1e{"type":7,"error":"${error}"}\x1e`)
  })

  it('the connection is closed with a reason in the language of the client', async () => {
    const { webSocketOrigin } = await start()
    const client = await openRawWebSocket(`${webSocketOrigin}/hub/admin`, { 'accept-language': 'de' })
    client.socket.send(handshake)
    expect(await client.closed).toBe(1000)
    expect(client.text()).toBe(`{}\x1e{"type":7,"error":"${problemTitle('session.required', 'de-DE')}"}\x1e`)
  })

  it('the connection is closed with a request to reconnect if the api is unavailable', async () => {
    const { webSocketOrigin, backend } = await start()
    backend.isAway = true
    const client = await openRawWebSocket(`${webSocketOrigin}/hub/monitor?game=7`, { cookie: 'session=monitor' })
    client.socket.send(handshake)
    await client.closed
    expect(client.text()).toBe('{}\x1e{"type":7,"error":"Please try again later","allowReconnect":true}\x1e')
  })

  const allowed: [string, string | undefined][] = [
    ['/hub/user?game=7', undefined],
    ['/hub/user?game=7', 'session=banned'],
    ['/hub/monitor?game=7', 'session=monitor'],
    ['/hub/monitor?game=7', 'session=admin'],
    ['/hub/admin', 'session=admin'],
  ]

  it.each(allowed)('the connection remains open for the address %s and the cookie %s', async (path, cookie) => {
    const client = await openHubClient(await start(), path, cookie === undefined ? {} : { cookie })
    client.socket.send('{"type":1,"invocationId":"still here","target":"x","arguments":[]}\x1e')
    await vi.waitFor(() => expect(client.text()).toContain('still here'), waiting)
  })
})
