import { operations, ownOperations } from '@capstan/contract/operations'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, addressOfCall, createHttpClient, type HttpDeps, TransportError } from './http.ts'

type Sent = Readonly<{
  address: string
  init: RequestInit
}>

function client(answer: (sent: Sent) => Response | Promise<Response>, deps: Partial<HttpDeps> = {}) {
  const sent: Sent[] = []
  const http = createHttpClient({
    fetch: async (input, init = {}) => {
      const request = { address: String(input), init }
      sent.push(request)
      return answer(request)
    },
    newRequest: () => new XMLHttpRequest(),
    language: () => 'de-DE',
    cookies: () => '',
    readPausesMs: [0, 0],
    ...deps,
  })
  return { ...http, sent }
}

async function failureOf(promise: Promise<unknown>) {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('The call did not fail')
}

function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return new Response(JSON.stringify(body), { status, headers })
}

describe('the address of a call', () => {
  it('the address of a call contains escaped parameters', () => {
    expect(addressOfCall(operations.getGame, { params: { id: 12 } })).toBe('/api/game/12')
    expect(addressOfCall(operations.getPost, { params: { id: 'a b/c' } })).toBe('/api/posts/a%20b%2Fc')
  })

  it('the address of a call omits absent parameters', () => {
    expect(addressOfCall(operations.listUsers, { query: { count: 20 } })).toBe('/api/admin/users?count=20')
    expect(addressOfCall(operations.listUsers)).toBe('/api/admin/users')
  })
})

describe('a call to the server', () => {
  it('a call uses the request that the page sent before its scripts had loaded, and can abort it', async () => {
    const abort = vi.fn()
    const answer = Promise.resolve(json(200, []))
    const takeEarly = vi.fn((address: string) => (address === '/api/game' ? { sentAt: Date.now(), answer, abort } : undefined))
    const { call, sent } = client(() => json(200, {}), { takeEarly })
    const controller = new AbortController()
    expect(await call(operations.listGames, { signal: controller.signal })).toEqual([])
    controller.abort()
    expect(abort).toHaveBeenCalledOnce()
    await call(operations.getGame, { params: { id: 1 } })
    await call(operations.logOut)
    expect(sent.map(({ address }) => address)).toEqual(['/api/game/1', '/api/account/logout'])
    expect(takeEarly.mock.calls).toEqual([['/api/game'], ['/api/game/1']])
  })

  it('a call sends JSON and the language of the page, and returns the data of the response', async () => {
    const { call, sent } = client(() => json(200, { title: '', data: 'LoggedIn', status: 200 }))
    const body = { userName: 'mira', password: 'Secret1', email: 'm@x.org' }
    expect(await call(operations.register, { body })).toEqual({ title: '', data: 'LoggedIn', status: 200 })
    expect(sent[0]?.address).toBe('/api/account/register')
    expect(sent[0]?.init.method).toBe('POST')
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual(body)
    expect(sent[0]?.init.headers).toMatchObject({ 'Accept-Language': 'de-DE', 'Content-Type': 'application/json' })
  })

  it('a call sends the value of the anti-forgery cookie if the cookie exists', async () => {
    const { call, sent } = client(() => json(200, {}), { cookies: () => 'a=b; XSRF-TOKEN=to%3Dken; c=d' })
    await call(operations.getClientConfig)
    expect(sent[0]?.init.headers).toMatchObject({ 'X-XSRF-TOKEN': 'to=ken' })
    const without = client(() => json(200, {}))
    await without.call(operations.getClientConfig)
    expect(without.sent[0]?.init.headers).not.toHaveProperty('X-XSRF-TOKEN')
  })

  it('a call returns the same object as long as the ETag is the same', async () => {
    const tags = ['W/"1"', 'W/"1"', 'W/"2"']
    const { call } = client(() => json(200, { title: 'Cup' }, { ETag: tags.shift() ?? '' }))
    const read = () => call(operations.getGame, { params: { id: 1 } })
    const first = await read()
    expect(await read()).toBe(first)
    const changed = await read()
    expect(changed).not.toBe(first)
    expect(changed).toEqual({ title: 'Cup' })
  })

  it('calls to different addresses return separate objects even if the ETag is the same', async () => {
    const { call } = client(({ address }) => json(200, { title: address }, { ETag: 'W/"1"' }))
    const first = await call(operations.getGame, { params: { id: 1 } })
    expect(await call(operations.getGame, { params: { id: 2 } })).not.toBe(first)
  })

  it('a call returns undefined if the response is empty', async () => {
    const { call } = client(() => new Response('', { status: 200 }))
    expect(await call(operations.logOut)).toBeUndefined()
  })

  it("a call throws an error with the server's code, text and status", async () => {
    const { call } = client(() => json(400, { title: 'Das Spiel läuft noch nicht', code: 'game.not-started', status: 10001 }))
    const error = await failureOf(call(operations.getPlayerBoard, { params: { id: 1 } }))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      message: 'Das Spiel läuft noch nicht',
      code: 'game.not-started',
      status: 10001,
      httpStatus: 400,
      retryAfterSeconds: undefined,
    })
  })

  it('a call throws an error with a readable text if the response comes from a proxy', async () => {
    const { call } = client(() => new Response('<h1>Bad Gateway</h1>', { status: 502, statusText: 'Bad Gateway' }))
    expect(await failureOf(call(operations.listGames))).toMatchObject({ message: 'Bad Gateway', httpStatus: 502, status: 502 })
  })

  it('a call reports the required wait after too many requests, by default a minute', async () => {
    const named = client(() => json(429, { title: 'Too many requests', status: 429 }, { 'Retry-After': '7' }))
    expect(await failureOf(named.call(operations.listGames))).toMatchObject({ httpStatus: 429, retryAfterSeconds: 7 })
    const unnamed = client(() => json(429, { title: 'Too many requests', status: 429 }))
    expect(await failureOf(unnamed.call(operations.listGames))).toMatchObject({ retryAfterSeconds: 60 })
  })
})

describe('a call that gets no response', () => {
  const never = ({ init }: Sent) =>
    new Promise<Response>((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)))

  it.each([
    ['Network Error', () => client(() => Promise.reject(new TypeError('Failed to fetch'))).call(operations.listGames)],
    ['Unsupported protocol', () => client(() => Promise.reject(new TypeError('unknown scheme'))).call(operations.listGames)],
    ['timeout of 5 ms exceeded', () => client(never).call(operations.listGames, { timeoutMs: 5 })],
    [
      'There is no suitable adapter to dispatch the request',
      () => client(() => json(200, {}), { fetch: undefined }).call(operations.listGames),
    ],
  ])('a call without a response fails with the text "%s"', async (text, make) => {
    const error = await failureOf(make())
    expect(error).toBeInstanceOf(TransportError)
    expect(error).toMatchObject({ message: text })
  })

  it('a call fails with the text "Request aborted" if the page aborts it', async () => {
    const controller = new AbortController()
    const promise = failureOf(client(never).call(operations.listGames, { signal: controller.signal }))
    controller.abort()
    expect(await promise).toMatchObject({ kind: 'aborted', message: 'Request aborted' })
  })
})

describe('a read whose response is lost', () => {
  afterEach(() => void vi.restoreAllMocks())

  /** Returns a function that returns these responses in order, or throws if a response is a connection error. */
  const answers = (...list: readonly (() => Response)[]) => {
    const left = [...list]
    return () => (left.shift() ?? (() => json(500, { title: 'Too many calls', status: 500 })))()
  }
  const reset = () => {
    throw new TypeError('Failed to fetch')
  }
  const edge = (status: number) => () => new Response('<h1>No backend</h1>', { status })
  const game = () => json(200, { id: 4 })
  const read = { params: { id: 4 } }

  it.each([
    ['a connection that is reset', reset],
    ['502', edge(502)],
    ['503', edge(503)],
    ['504', edge(504)],
  ])('a read whose response is lost is retried after %s', async (_, lost) => {
    const { call, sent } = client(answers(lost, lost, game))
    expect(await call(operations.getGame, read)).toEqual({ id: 4 })
    expect(sent).toHaveLength(3)
  })

  it('a read is retried if the body of the response ends early', async () => {
    const cut = () =>
      new Response(
        new ReadableStream({
          start: (body) => {
            body.enqueue(new TextEncoder().encode('{"id"'))
            body.error(new TypeError('network error'))
          },
        }),
      )
    const { call } = client(answers(cut, game))
    expect(await call(operations.getGame, read)).toEqual({ id: 4 })
  })

  it('a read whose response is lost fails with the last error after a limited number of retries', async () => {
    const { call, sent } = client(answers(reset, edge(502), edge(504), game))
    expect(await failureOf(call(operations.getGame, read))).toMatchObject({ httpStatus: 504 })
    expect(sent).toHaveLength(3)
  })

  it.each([400, 401, 403, 404, 429, 500])('a read is not retried after a response with status %d', async (status) => {
    const { call, sent } = client(answers(() => json(status, { title: 'No', status }), game))
    expect(await failureOf(call(operations.getGame, read))).toMatchObject({ httpStatus: status })
    expect(sent).toHaveLength(1)
  })

  it('a read whose response is lost is not retried while offline, after a timeout or after an abort', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    const offline = client(answers(reset, game))
    expect(await failureOf(offline.call(operations.getGame, read))).toMatchObject({ kind: 'network' })
    vi.restoreAllMocks()
    const never = ({ init }: Sent) =>
      new Promise<Response>((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    const slow = client(never)
    expect(await failureOf(slow.call(operations.getGame, { ...read, timeoutMs: 5 }))).toMatchObject({ kind: 'timeout' })
    const leaving = new AbortController()
    const left = client(() => {
      leaving.abort()
      return reset()
    })
    expect(await failureOf(left.call(operations.getGame, { ...read, signal: leaving.signal }))).toMatchObject({ kind: 'aborted' })
    expect([offline.sent, slow.sent, left.sent].map(({ length }) => length)).toEqual([1, 1, 1])
  })

  it('a read of a file is retried if its response is lost', async () => {
    const { openFile, sent } = client(answers(edge(502), () => new Response('rope')))
    expect(await (await openFile('/assets/a', new AbortController().signal)).text()).toBe('rope')
    expect(sent).toHaveLength(2)
  })

  it('a write whose response is lost is not retried, because the server may already have executed it', async () => {
    const { call, openFile, sent } = client(answers(edge(502), edge(502), edge(502)))
    expect(await failureOf(call(operations.logOut))).toMatchObject({ httpStatus: 502 })
    expect(await failureOf(call(operations.extendContainer, { params: { id: 3, cid: 7 } }))).toMatchObject({ httpStatus: 502 })
    expect(await failureOf(openFile('/api/x', new AbortController().signal, 'POST'))).toMatchObject({ httpStatus: 502 })
    expect(sent).toHaveLength(3)
  })

  it('a write whose repetition has no further effect is repeated unchanged if its response is lost', async () => {
    const { call, sent } = client(answers(edge(503), reset, () => new Response('')))
    await call(ownOperations.setGameMailChoice, { body: { hasGameMail: true } })
    expect(sent).toHaveLength(3)
    expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1)
  })

  it('the start of an instance is repeated if its response is lost, because the server waits for the pending start', async () => {
    const { call, sent } = client(answers(edge(502), () => json(200, { status: 'Running' })))
    expect(await call(operations.startContainer, { params: { id: 3, cid: 7 } })).toEqual({ status: 'Running' })
    expect(sent).toHaveLength(2)
  })

  it('a repeated deletion succeeds if the item no longer exists, but a first deletion fails', async () => {
    const missing = () => json(404, { title: 'Not found', status: 404 })
    const repeated = client(answers(edge(502), missing))
    await repeated.call(operations.deletePost, { params: { id: 'a' } })
    expect(repeated.sent).toHaveLength(2)
    const first = client(answers(missing))
    expect(await failureOf(first.call(operations.deletePost, { params: { id: 'a' } }))).toMatchObject({ httpStatus: 404 })
  })

  it('a write is not repeated after a refusal, or if its response is lost ten seconds after the first attempt', async () => {
    let now = 0
    const late = client(
      () => {
        now += 10_000
        return reset()
      },
      { now: () => now },
    )
    expect(await failureOf(late.call(operations.stopContainer, { params: { id: 3, cid: 7 } }))).toMatchObject({ kind: 'network' })
    const refused = client(answers(() => json(429, { title: 'No', status: 429 })))
    expect(await failureOf(refused.call(operations.stopContainer, { params: { id: 3, cid: 7 } }))).toMatchObject({
      httpStatus: 429,
    })
    expect([late.sent, refused.sent].map(({ length }) => length)).toEqual([1, 1])
  })
})
