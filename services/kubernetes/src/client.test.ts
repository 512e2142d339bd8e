import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { pods, secrets } from './built-in-kinds.ts'
import { ApiError, createKubeClient, type KubeClient } from './client.ts'
import type { KubeObject, Resource } from './types.ts'

const things: Resource = { apiVersion: 'example.dev/v1', kind: 'Thing', plural: 'things' }
function aPod(name: string, resourceVersion = '1') {
  return { metadata: { name, namespace: 'n', uid: name, resourceVersion } }
}

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** Creates a client of a test server, and records the requests that the server receives. */
async function setUp(answer: (request: Received, response: ServerResponse) => void) {
  const received: Received[] = []
  const observed: { verb: string; plural: string; status: number }[] = []
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    received.push(one)
    answer(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client: KubeClient = createKubeClient(
    { server: new URL(`http://127.0.0.1:${port}`), requestOptions: async () => ({ headers: { authorization: 'Bearer token' } }) },
    { userAgent: 'tests', observeRequest: ({ verb, plural, status }) => observed.push({ verb, plural, status }) },
  )
  closers.push(() => {
    client.close()
    server.closeAllConnections()
    server.close()
  })
  return { client, received, observed }
}

function json(response: ServerResponse, status: number, body: object, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

async function watchAll(client: KubeClient, events: { type: string; object: KubeObject }[]) {
  await client.watch(
    pods,
    { namespace: 'n' },
    {
      resourceVersion: '5',
      timeoutSeconds: 60,
      signal: new AbortController().signal,
      onOpen: () => undefined,
      onEvent: (event) => events.push(event),
    },
  )
}

describe('a client of the API server', () => {
  it('applies objects with force and with the given field manager', async () => {
    const { client, received, observed } = await setUp((_request, response) => json(response, 200, aPod('a')))
    await client.apply(things, { apiVersion: 'example.dev/v1', kind: 'Thing', metadata: { name: 'a', namespace: 'n' } }, 'me')
    expect(received[0]).toMatchObject({
      method: 'PATCH',
      url: '/apis/example.dev/v1/namespaces/n/things/a?fieldManager=me&force=true',
    })
    expect(received[0]?.headers).toMatchObject({ 'content-type': 'application/apply-patch+yaml', authorization: 'Bearer token' })
    expect(observed).toEqual([{ verb: 'patch', plural: 'things', status: 200 }])
  })

  it('deletes only an object with the given UID', async () => {
    const { client, received } = await setUp((_request, response) => json(response, 200, {}))
    await client.delete(pods, 'n', 'a', { preconditions: { uid: 'u' }, gracePeriodSeconds: 0 })
    expect(received[0]).toMatchObject({ method: 'DELETE', url: '/api/v1/namespaces/n/pods/a' })
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      propagationPolicy: 'Background',
      preconditions: { uid: 'u' },
      gracePeriodSeconds: 0,
    })
  })

  it('adds the kind to the items of a list, because lists of built-in kinds omit it', async () => {
    const { client } = await setUp((_request, response) =>
      json(response, 200, { items: [aPod('a')], metadata: { resourceVersion: '9' } }),
    )
    const { items } = await client.listPage(pods, { namespace: 'n' }, { limit: 10 })
    expect(items).toEqual([{ apiVersion: 'v1', kind: 'Pod', ...aPod('a') }])
  })

  it('requests only metadata if `metadataOnly` is set', async () => {
    const { client, received } = await setUp((_request, response) =>
      json(response, 200, { items: null, metadata: { resourceVersion: '9' } }),
    )
    const page = await client.listPage(pods, { namespace: 'n', metadataOnly: true }, { limit: 10 })
    expect(page).toEqual({ items: [], resourceVersion: '9', continueToken: undefined })
    expect(received[0]?.headers.accept).toContain('as=PartialObjectMetadataList')
  })

  it('throws an error with the status, reason and requested delay of an error response', async () => {
    const { client, observed } = await setUp((_request, response) =>
      json(response, 429, { reason: 'TooManyRequests', message: 'slow down' }, { 'retry-after': '3' }),
    )
    const error = await client.get(pods, 'n', 'a').catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 429, reason: 'TooManyRequests', message: 'slow down', retryAfterMs: 3000 })
    expect(observed).toEqual([{ verb: 'get', plural: 'pods', status: 429 }])
  })

  it('omits the error message about a refused Secret, because the message may quote its values', async () => {
    const { client } = await setUp(({ body }, response) => json(response, 422, { reason: body, message: `denied ${body}` }))
    const secret = { metadata: { name: 'a' }, stringData: { flag: 'flag{planted}' } }
    const error = await client.create(secrets, 'n', secret).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ status: 422, message: 'The API server responded with 422' })
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('planted')
  })

  it('sends the expected requests for a merge patch and for a list without a limit', async () => {
    const { client, received } = await setUp((_request, response) => json(response, 200, { ...aPod('a'), items: [] }))
    await client.patchMerge(things, 'n', 'a', { spec: { end: null } })
    expect(received[0]).toMatchObject({
      method: 'PATCH',
      url: '/apis/example.dev/v1/namespaces/n/things/a',
      body: '{"spec":{"end":null}}',
    })
    expect(received[0]?.headers).toMatchObject({ 'content-type': 'application/merge-patch+json', 'user-agent': 'tests' })
    await client.listPage(things, { namespace: 'n' })
    expect(received[1]?.url).toBe('/apis/example.dev/v1/namespaces/n/things')
  })

  it('throws an error with the status if a proxy answers in plain text', async () => {
    const { client } = await setUp((_request, response) => response.writeHead(502).end('Bad gateway'))
    await expect(client.get(pods, 'n', 'a')).rejects.toMatchObject({ status: 502, reason: 'Unknown' })
  })

  it('notifies the observer of a request without a response', async () => {
    const { client, observed } = await setUp((_request, response) => response.destroy())
    await expect(client.get(pods, 'n', 'a')).rejects.toThrow('Could not get pods')
    expect(observed).toEqual([{ verb: 'get', plural: 'pods', status: 0 }])
  })

  it('parses a watch even if its lines are split at any position', async () => {
    const { client, received } = await setUp((_request, response) => {
      const lines = `${JSON.stringify({ type: 'ADDED', object: aPod('a', '6') })}\n${JSON.stringify({ type: 'BOOKMARK', object: aPod('', '9') })}\n`
      response.writeHead(200)
      response.write(lines.slice(0, 20))
      setImmediate(() => response.end(lines.slice(20)))
    })
    const events: { type: string; object: KubeObject }[] = []
    await watchAll(client, events)
    expect(events.map(({ type, object }) => `${type} ${object.metadata.resourceVersion}`)).toEqual(['ADDED 6', 'BOOKMARK 9'])
    expect(received[0]?.url).toContain('allowWatchBookmarks=true&resourceVersion=5')
  })

  it('follows a log until the caller stops reading, and then closes the connection', async () => {
    const closed = Promise.withResolvers<void>()
    const { client, received, observed } = await setUp((_request, response) => {
      response.on('close', closed.resolve)
      response.writeHead(200)
      response.write('one')
    })
    const pieces: string[] = []
    const common = { follow: true, limitBytes: 9, signal: new AbortController().signal }
    const take = (piece: Uint8Array) => pieces.push(new TextDecoder().decode(piece)) > 0
    expect(await client.followLog('n', 'a', 'challenge', { ...common, onPiece: take })).toBe(true)
    await closed.promise
    expect(pieces).toEqual(['one'])
    expect(received[0]?.url).toBe('/api/v1/namespaces/n/pods/a/log?container=challenge&follow=true&limitBytes=9')
    expect(observed).toEqual([{ verb: 'get', plural: 'pods', status: 200 }])
  })

  it.each<[string, (response: ServerResponse) => void, object]>([
    ['ends before the reader has enough', (response) => response.end('one'), { value: false }],
    ['breaks', (response) => response.write('one', () => response.destroy()), { reason: { code: 'ECONNRESET' } }],
    ['is refused', (response) => json(response, 403, { reason: 'Forbidden' }), { reason: { status: 403 } }],
  ])('reports to the caller how reading ended if the log %s', async (_how, answer, outcome) => {
    const { client } = await setUp((_request, response) => answer(response))
    const options = { follow: true, limitBytes: 9, signal: new AbortController().signal, onPiece: () => false }
    const [settled] = await Promise.allSettled([client.followLog('n', 'a', 'challenge', options)])
    expect(settled).toMatchObject(outcome)
  })

  it('ends a watch with the error that the server sent as an event', async () => {
    const { client } = await setUp((_request, response) => {
      response.writeHead(200)
      response.end(`${JSON.stringify({ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } })}\n`)
    })
    await expect(watchAll(client, [])).rejects.toMatchObject({ status: 410, reason: 'Expired' })
  })

  it('the client ends a watch if its listener throws, fails with this error, and reports no further events', async () => {
    let calls = 0
    const { client } = await setUp((_request, response) => {
      const line = `${JSON.stringify({ type: 'ADDED', object: aPod('a', '6') })}\n`
      response.writeHead(200)
      response.write(line + line)
    })
    const options = { resourceVersion: '5', timeoutSeconds: 60, signal: new AbortController().signal, onOpen: () => undefined }
    const onEvent = () => {
      calls += 1
      throw new Error('enough')
    }
    await expect(client.watch(pods, { namespace: 'n' }, { ...options, onEvent })).rejects.toThrow('enough')
    expect(calls).toBe(1)
  })

  it('ends a watch with an error if the connection breaks', async () => {
    const { client } = await setUp((_request, response) => {
      response.writeHead(200)
      response.write(`${JSON.stringify({ type: 'ADDED', object: aPod('a') })}\n`, () => response.destroy())
    })
    const events: { type: string; object: KubeObject }[] = []
    await expect(watchAll(client, events)).rejects.toThrow()
    expect(events).toHaveLength(1)
  })
})
