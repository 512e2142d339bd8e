import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Backend } from './backend.ts'
import { createHttpBackend } from './http-backend.ts'

const id = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
let server: Server | undefined

afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
  server = undefined
})

/** Creates a backend whose api returns the responses that the test defines. */
async function against(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  timeoutMs = 2_000,
): Promise<Backend> {
  const started = createServer(answer)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  const { port } = started.address() as AddressInfo
  return createHttpBackend({ apiUrl: `http://127.0.0.1:${port}`, internalToken: 'the shared token', timeoutMs })
}

function json(value: unknown) {
  return (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

describe('the backend', () => {
  it('the backend looks up the user of a session with cookie, protocol and shared token', async () => {
    const seen: IncomingMessage[] = []
    const identity = { userId: '11111111-1111-4111-8111-111111111111', role: 'Monitor' }
    const backend = await against((request, response) => {
      seen.push(request)
      json(identity)(request, response)
    })
    expect(await backend.session({ cookie: 'session=x; other=y', protocol: 'https' })).toEqual(identity)
    expect(seen[0]?.url).toBe('/internal/session')
    expect(seen[0]?.headers).toMatchObject({
      cookie: 'session=x; other=y',
      'x-capstan-client-protocol': 'https',
      authorization: 'Bearer the shared token',
    })
  })

  it('returns null for an unknown session', async () => {
    expect(await (await against(json(null))).session({ cookie: 'session=x', protocol: 'http' })).toBeNull()
  })

  it('the backend looks up the user of an API token, and returns the game for which the token is valid', async () => {
    const seen: IncomingMessage[] = []
    const identity = { userId: '11111111-1111-4111-8111-111111111111', role: 'Monitor', gameId: 7 }
    const backend = await against((request, response) => {
      seen.push(request)
      json(identity)(request, response)
    })
    expect(await backend.session({ cookie: '', protocol: 'http', authorization: 'Bearer a.b' })).toEqual(identity)
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer the shared token',
      'x-capstan-client-authorization': 'Bearer a.b',
    })
  })

  it('the backend asks the api whether a game exists', async () => {
    const backend = await against((request, response) => json(request.url === '/internal/games/7')(request, response))
    expect([await backend.gameExists(7), await backend.gameExists(8)]).toEqual([true, false])
  })

  it('the backend asks the api for the address of a container', async () => {
    const target = { state: 'ready', host: '10.0.0.1', port: 1337, kind: 'team' }
    const backend = await against((request, response) =>
      json(request.url === `/internal/proxy/${id}` ? target : null)(request, response),
    )
    expect(await backend.proxyTarget(id)).toEqual(target)
  })

  it('the backend sends rows of the connection log to the api as JSON', async () => {
    let body = ''
    const backend = await against((request, response) => {
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => response.writeHead(204).end())
    })
    const report = {
      id,
      instanceId: id,
      clientAddress: '192.0.2.1',
      userId: null,
      bytesSent: 1,
      bytesReceived: 2,
      openedAt: '2026-03-01T10:00:00.000Z',
      closedAt: null,
    }
    await backend.reportConnections([report])
    expect(JSON.parse(body)).toEqual([report])
  })
})

describe('the message of an error', () => {
  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['an error status', (_request, response) => void response.writeHead(500).end('no')],
    ['a response of another shape', json({ state: 'somewhere' })],
    ['no JSON', (_request, response) => void response.end('<html>')],
    ['a redirect', (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
    ['a broken connection', (request) => void request.socket.destroy()],
  ])('names the failed lookup but not the container after %s', async (_name, answer) => {
    const backend = await against(answer)
    await expect(backend.proxyTarget(id)).rejects.toThrow(/^Could not ask the api where a container listens$/)
  })

  it('the error message names the lookup that timed out', async () => {
    const backend = await against(() => {}, 50)
    await expect(backend.gameExists(7)).rejects.toThrow('Could not ask the api whether a game exists')
  })
})

describe('the backend, if the api closes a connection,', () => {
  it('retries a lookup once on another connection if the api closes the connection', async () => {
    let asked = 0
    const backend = await against((request, response) => {
      asked += 1
      if (asked === 1) request.socket.destroy()
      else json(true)(request, response)
    })
    expect([await backend.gameExists(7), asked]).toEqual([true, 2])
  })

  it('a lookup fails if the api closes the connections of the first attempt and the retry', async () => {
    let asked = 0
    const backend = await against((request) => {
      asked += 1
      request.socket.destroy()
    })
    await expect(backend.gameExists(7)).rejects.toThrow('Could not ask the api whether a game exists')
    expect(asked).toBe(2)
  })

  it('the backend does not retry a report after the api closes the connection, because the caller retries the report', async () => {
    let asked = 0
    const backend = await against((request) => {
      asked += 1
      request.socket.destroy()
    })
    await expect(backend.reportConnections([])).rejects.toThrow()
    expect(asked).toBe(1)
  })
})
