import { describe, expect, it, vi } from 'vitest'
import { concatReceivedBytes, echoReceivedBytes, id, otherId, provideProxyGateway, waiting } from '../testing/proxy-world.ts'
import { catchRefusedUpgrade } from '../testing/raw-client.ts'

const { start, startServer, open, refused } = provideProxyGateway()

describe('the response before the upgrade', () => {
  it('the response is 204 if a probe asks for an existing container', async () => {
    const {
      gateway: { origin },
    } = await start(echoReceivedBytes)
    const response = await fetch(`${origin}/api/proxy/${id}`)
    expect([response.status, await response.text()]).toEqual([204, ''])
  })

  it('the response is 204 if the address differs only in upper and lower case', async () => {
    const {
      gateway: { origin },
    } = await start(echoReceivedBytes)
    expect((await fetch(`${origin}/API/Proxy/${id.toUpperCase()}`)).status).toBe(204)
  })

  it('the response is 404 for an unknown container, whether the request is a probe or an upgrade', async () => {
    const {
      gateway: { origin },
    } = await start(echoReceivedBytes)
    const response = await fetch(`${origin}/api/proxy/${otherId}`)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      title: 'There is no such instance',
      status: 404,
      code: 'instance.unknown',
      requestId: expect.stringMatching(/.+/),
    })
    expect(await refused(`/api/proxy/${otherId}`)).toEqual([404, 'instance.unknown'])
  })

  it.each([`/api/proxy/${id}`, `/api/proxy/${otherId}`, '/hub/user', '/hub/user/negotiate', '/nothing', '/healthz', '/metrics'])(
    'the response forbids content sniffing at the address %s',
    async (path) => {
      const {
        gateway: { origin },
      } = await start(echoReceivedBytes)
      const response = await fetch(`${origin}${path}`, { method: path.endsWith('negotiate') ? 'POST' : 'GET' })
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    },
  )

  it('the response to a refused upgrade has a header against content sniffing', async () => {
    const { gateway } = await start(echoReceivedBytes)
    const { headers } = await catchRefusedUpgrade(`${gateway.webSocketOrigin}/api/proxy/${otherId}`)
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('the response to a refused upgrade is in the language of the request', async () => {
    const {
      gateway: { origin },
    } = await start(echoReceivedBytes)
    const response = await fetch(`${origin}/api/proxy/${otherId}`, { headers: { 'accept-language': 'fr-CA, en;q=0.5' } })
    expect(response.headers.get('content-language')).toBe('fr-FR')
    expect(await response.json()).toMatchObject({ title: 'Cette instance n’existe pas', code: 'instance.unknown' })
  })

  it.each(['/api/proxy/7', '/api/proxy/noinst', '/api/proxy/noinst/7', `/api/proxy/${id}/more`, '/api/proxy/'])(
    'the response is 404 for the address %s',
    async (path) => {
      const {
        gateway: { origin },
      } = await start(echoReceivedBytes)
      expect((await fetch(origin + path)).status).toBe(404)
    },
  )

  it('the response is 404 for a test container at the address for team containers', async () => {
    await start(echoReceivedBytes, { kind: 'test' })
    expect(await refused()).toEqual([404, 'instance.unknown'])
  })

  it('the response is 404 for a team container at the address for test containers', async () => {
    await start(echoReceivedBytes)
    expect(await refused(`/api/proxy/noinst/${id}`)).toEqual([404, 'instance.unknown'])
  })

  it('the response is 400 if the platform lets players connect directly to containers', async () => {
    const {
      backend,
      gateway: { origin },
    } = await start(echoReceivedBytes)
    backend.targets.set(id, { state: 'proxy-off' })
    expect((await fetch(`${origin}/api/proxy/${id}`)).status).toBe(400)
    expect(await refused()).toEqual([400, 'proxy.off'])
  })

  it('the response is 418 if the container accepts no connections', async () => {
    const { server } = await start(echoReceivedBytes)
    await server.close()
    expect(await refused()).toEqual([418, 'proxy.unreachable'])
  })

  it('the response is 503 if the api is unavailable', async () => {
    const {
      backend,
      gateway: { origin },
    } = await start(echoReceivedBytes)
    backend.isAway = true
    expect(await refused()).toEqual([503, 'server.unavailable'])
    expect((await fetch(`${origin}/api/proxy/${id}`)).status).toBe(503)
  })

  it('the response is 405 if the method is not allowed', async () => {
    const {
      gateway: { origin },
    } = await start(echoReceivedBytes)
    expect((await fetch(`${origin}/api/proxy/${id}`, { method: 'DELETE' })).status).toBe(405)
  })

  it('the response is 101 and selects no subprotocol or extensions', async () => {
    await start(echoReceivedBytes)
    const client = await open()
    expect([client.socket.protocol, client.socket.extensions]).toEqual(['', ''])
  })

  it('the response is 101 for a test container at the address for test containers', async () => {
    await start(echoReceivedBytes, { kind: 'test' })
    const client = await open(`/api/proxy/noinst/${id}`)
    client.socket.send('hello')
    await vi.waitFor(() => expect(concatReceivedBytes(client).toString()).toBe('hello'), waiting)
  })
})

describe('the number of connections', () => {
  it('a team container has at most 64 open connections, even if many clients connect concurrently', async () => {
    await start(echoReceivedBytes)
    const attempts = await Promise.allSettled(Array.from({ length: 70 }, () => open()))
    const clients = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))
    expect(clients).toHaveLength(64)
    expect(await refused()).toEqual([400, 'proxy.full'])
    clients[0]?.socket.close()
    await vi.waitFor(() => open(), waiting)
    expect(await refused()).toEqual([400, 'proxy.full'])
  })

  it('connections are counted for each container separately', async () => {
    const { backend, server } = await start(echoReceivedBytes)
    backend.targets.set(otherId, server.target())
    await Promise.all(Array.from({ length: 64 }, () => open()))
    await open(`/api/proxy/${otherId}`)
  })

  it('failed attempts do not count as connections to a container', async () => {
    const { backend, server } = await start(echoReceivedBytes)
    backend.targets.set(id, { state: 'ready', host: '127.0.0.1', port: 1, kind: 'team' })
    for (let attempt = 0; attempt < 70; attempt += 1) expect(await refused()).toEqual([418, 'proxy.unreachable'])
    backend.targets.set(id, server.target())
    await open()
  })

  it('the number of connections is unlimited for a test container', async () => {
    await start(echoReceivedBytes, { kind: 'test' })
    await Promise.all(Array.from({ length: 66 }, () => open(`/api/proxy/noinst/${id}`)))
  })
})

describe('the address of a container', () => {
  it('the address of a container is looked up again if a dial fails', async () => {
    const { backend, server } = await start(echoReceivedBytes)
    await open()
    await server.close()
    const moved = await startServer(echoReceivedBytes)
    backend.targets.set(id, moved.target())
    const client = await open()
    client.socket.send('moved')
    await vi.waitFor(() => expect(concatReceivedBytes(client).toString()).toBe('moved'), waiting)
  })

  it('the address of a starting container is looked up for each client, because it may become ready at any time', async () => {
    const { backend, server } = await start(echoReceivedBytes, { timings: { missMs: 60_000 } })
    backend.targets.set(id, { state: 'unreachable', kind: 'team' })
    expect(await refused()).toEqual([418, 'proxy.unreachable'])
    backend.targets.set(id, server.target())
    await open()
  })

  it('the address of an unknown container is looked up again after a short time', async () => {
    const { backend, server } = await start(echoReceivedBytes, { timings: { missMs: 30 } })
    expect(await refused(`/api/proxy/${otherId}`)).toEqual([404, 'instance.unknown'])
    backend.targets.set(otherId, server.target())
    await vi.waitFor(() => open(`/api/proxy/${otherId}`), waiting)
  })
})
