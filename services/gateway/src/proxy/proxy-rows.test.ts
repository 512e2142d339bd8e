import { describe, expect, it, vi } from 'vitest'
import { userIds } from '../testing/fake-backend.ts'
import { concatReceivedBytes, echoReceivedBytes, id, provideProxyGateway, waiting } from '../testing/proxy-world.ts'

const { start, open } = provideProxyGateway()

describe('the row of a connection', () => {
  it('the row of a connection has user and start time at its opening, and end time and bytes after its closing', async () => {
    const { backend } = await start(echoReceivedBytes, { config: { trustedProxies: ['loopback'] } })
    const client = await open(`/api/proxy/${id}`, { cookie: 'session=player', 'x-forwarded-for': '203.0.113.9' })
    const running = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      instanceId: id,
      clientAddress: '203.0.113.9',
      userId: '11111111-1111-4111-8111-111111111111',
      bytesSent: 0,
      bytesReceived: 0,
      openedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      closedAt: null,
      way: 'websocket',
    }
    await vi.waitFor(() => expect([...backend.reports.values()]).toEqual([running]), waiting)
    client.socket.send('12345')
    await vi.waitFor(() => expect(concatReceivedBytes(client).length).toBe(5), waiting)
    client.socket.close()
    await vi.waitFor(
      () =>
        expect([...backend.reports.values()]).toEqual([
          { ...running, bytesSent: 5, bytesReceived: 5, closedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
        ]),
      waiting,
    )
  })

  it.each([
    [undefined, 'site.test', true],
    ['http://site.test', 'site.test', true],
    ['https://SITE.test', 'site.test:443', true],
    ['https://evil.example', 'site.test', false],
    ['http://site.test:81', 'site.test', false],
    ['null', 'site.test', false],
    ['vscode-webview://abc', 'site.test', false],
    ['', 'site.test', false],
  ])('a connection with the Origin %j at the host %s is recorded with its user: %j', async (origin, host, isNamed) => {
    const { backend } = await start(echoReceivedBytes)
    const headers = { host, cookie: 'session=player', ...(origin !== undefined && { origin }) }
    const client = await open(`/api/proxy/${id}`, headers)
    client.socket.send('12345')
    await vi.waitFor(() => expect(concatReceivedBytes(client).length).toBe(5), waiting)
    client.socket.close()
    await client.closed
    await vi.waitFor(() => expect([...backend.reports.values()][0]?.closedAt).not.toBeNull(), waiting)
    await vi.waitFor(() => expect([...backend.reports.values()][0]?.userId).toBe(isNamed ? userIds.player : null), waiting)
    expect(backend.questions).toHaveLength(isNamed ? 1 : 0)
  })

  it('the row of a connection contains no user if a page of another site connects to a test container', async () => {
    const { backend } = await start(echoReceivedBytes, { kind: 'test' })
    const client = await open(`/api/proxy/noinst/${id}`, { cookie: 'session=admin', origin: 'https://evil.example' })
    client.socket.close()
    await vi.waitFor(() => expect([...backend.reports.values()][0]?.closedAt).toEqual(expect.any(String)), waiting)
    expect(backend.questions).toEqual([])
  })

  it('the row of a connection contains the user if a page of the public origin opened the connection', async () => {
    const { backend } = await start(echoReceivedBytes, { config: { publicOrigin: 'https://ctf.example' } })
    await open(`/api/proxy/${id}`, { cookie: 'session=player', origin: 'https://ctf.example' })
    await vi.waitFor(() => expect([...backend.reports.values()][0]?.userId).toBe(userIds.player), waiting)
  })

  it('the row of a connection is updated while the connection is open', async () => {
    const { backend } = await start(echoReceivedBytes, { timings: { reportMs: 30 } })
    const client = await open()
    client.socket.send('12345')
    await vi.waitFor(
      () => expect([...backend.reports.values()][0]).toMatchObject({ bytesSent: 5, bytesReceived: 5, closedAt: null }),
      waiting,
    )
  })

  it('the row of a connection has the address of the peer if the proxy is not trusted', async () => {
    const { backend } = await start(echoReceivedBytes)
    await open(`/api/proxy/${id}`, { 'x-forwarded-for': '203.0.113.9' })
    await vi.waitFor(() => expect([...backend.reports.values()][0]?.clientAddress).toBe('127.0.0.1'), waiting)
  })

  it('the row of a connection is retained while the api is unavailable', async () => {
    const { backend } = await start(echoReceivedBytes)
    const client = await open()
    await vi.waitFor(() => expect(backend.reports.size).toBe(1), waiting)
    backend.isAway = true
    client.socket.close()
    const tries = backend.asked.reportConnections
    await vi.waitFor(() => expect(backend.asked.reportConnections).toBeGreaterThan(tries + 1), waiting)
    backend.isAway = false
    await vi.waitFor(() => expect([...backend.reports.values()][0]?.closedAt).not.toBeNull(), waiting)
  })

  it('the row of a connection is sent when the gateway stops', async () => {
    const { backend, gateway: running } = await start(echoReceivedBytes, { timings: { gatherReportsMs: 60_000 } })
    const client = await open()
    await running.close()
    expect(await client.closed).toBe(1005)
    expect([...backend.reports.values()][0]?.closedAt).toEqual(expect.any(String))
  })
})
