import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { operations } from '@capstan/contract/operations'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { ApiActor, Refusal } from './actors.ts'
import { findChromium } from './browser.ts'
import { CookieJar } from './cookie-jar.ts'
import { poll } from './poll.ts'
import { connectToInstance, isProxiedEntry, proxyAddress } from './tcp-over-websocket.ts'
import { readWorldFromEnvironment } from './world.ts'

const uuid = '0b8e7a52-6d55-4a3e-9f0e-3c1d2b4a5f66'

describe('poll', () => {
  it('poll returns the first value that is not empty', async () => {
    const looks = [undefined, null, false, 'ship ahoy']
    expect(await poll('a ship', () => looks.shift(), { everyMs: 1 })).toBe('ship ahoy')
  })

  it('poll rejects after the timeout with an error that contains the description and the last error', async () => {
    const fog = new Error('fog')
    const waiting = poll('a ship', () => Promise.reject(fog), { timeoutMs: 20, everyMs: 5 })
    await expect(waiting).rejects.toThrow(expect.objectContaining({ message: 'Waited 20 ms for a ship', cause: fog }))
  })
})

describe('readWorldFromEnvironment', () => {
  it('readWorldFromEnvironment reads the environment variables', () => {
    expect(readWorldFromEnvironment({ CAPSTAN_URL: 'http://127.0.0.1:8080/', CAPSTAN_ADMIN_PASSWORD: 'Secret1' })).toEqual({
      baseUrl: 'http://127.0.0.1:8080',
      adminName: 'Admin',
      adminPassword: 'Secret1',
    })
  })

  it('readWorldFromEnvironment throws an error that lists all missing variables', () => {
    expect(() => readWorldFromEnvironment({})).toThrow(
      'Set CAPSTAN_URL and CAPSTAN_ADMIN_PASSWORD or CAPSTAN_ADMIN_PASSWORD_FILE to test against a running platform',
    )
  })
})

describe('the cookie jar', () => {
  it('the jar stores, replaces and removes cookies', () => {
    const jar = new CookieJar()
    const answer = (...cookies: string[]) => jar.store(new Headers(cookies.map((cookie) => ['set-cookie', cookie])))
    answer('session=one==; HttpOnly; Path=/', 'XSRF-TOKEN=t1')
    expect(jar.header()).toBe('session=one==; XSRF-TOKEN=t1')
    answer('session=two; Max-Age=3600', 'XSRF-TOKEN=; Max-Age=0')
    expect(jar.header()).toBe('session=two')
    answer('session=; Expires=Thu, 01 Jan 1970 00:00:00 GMT')
    expect(jar.header()).toBe('')
  })
})

describe('an actor', () => {
  async function site(answer: Parameters<typeof createServer>[1]): Promise<string> {
    const server = createServer(answer as never).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('an actor sends the cookies and the XSRF token of the session, and inserts parameters into the path', async () => {
    const seen: unknown[] = []
    const actor = new ApiActor(
      await site(async (request, response) => {
        const { cookie, 'x-xsrf-token': token } = request.headers
        seen.push([request.method, request.url, cookie, token, (await buffer(request)).toString()])
        if (request.url === '/api/account/login') response.appendHeader('set-cookie', ['sid=s1', 'XSRF-TOKEN=x%2B1'])
        response.end(request.url?.startsWith('/api/game') ? '7' : '')
      }),
    )
    await actor.logIn('Admin', 'Secret1')
    expect(await actor.call(operations.submitFlag, { params: { id: 3, cid: 9 }, body: { flag: 'flag{x}' } })).toBe(7)
    expect(seen).toEqual([
      ['POST', '/api/account/login', undefined, undefined, '{"userName":"Admin","password":"Secret1"}'],
      ['POST', '/api/game/3/challenges/9', 'sid=s1; XSRF-TOKEN=x%2B1', 'x+1', '{"flag":"flag{x}"}'],
    ])
    expect(actor.browserCookies()[0]).toEqual({ name: 'sid', value: 's1', url: actor.baseUrl })
  })

  it('an actor throws a Refusal with the fields of the error body', async () => {
    const actor = new ApiActor(
      await site((_request, response) => {
        response.writeHead(400, { 'retry-after': '3' }).end('{"title":"The game is over","status":10002,"code":"game.over"}')
      }),
    )
    const refused = await actor.call(operations.getGame, { params: { id: 1 } }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refusal)
    expect(refused).toMatchObject({
      httpStatus: 400,
      status: 10002,
      title: 'The game is over',
      code: 'game.over',
      retryAfterSeconds: 3,
    })
  })

  it('an actor polls a submission until it is judged', async () => {
    const states = ['"FlagSubmitted"', '"FlagSubmitted"', '"Accepted"']
    const actor = new ApiActor(
      await site((request, response) => void response.end(request.method === 'POST' ? '5' : states.shift())),
    )
    expect(await actor.submitFlag(1, 2, 'flag{x}')).toBe('Accepted')
    expect(states).toEqual([])
  })
})

describe('a connection to an instance', () => {
  it('a client connects through the proxy only if the address of the instance is a UUID', () => {
    expect(isProxiedEntry(uuid)).toBe(true)
    expect(isProxiedEntry('10.0.0.1:31337')).toBe(false)
    expect(proxyAddress({ entry: uuid, baseUrl: 'https://ctf.example.org' })).toBe(`wss://ctf.example.org/api/proxy/${uuid}`)
    expect(proxyAddress({ entry: uuid, baseUrl: 'http://127.0.0.1:8080', isTest: true })).toBe(
      `ws://127.0.0.1:8080/api/proxy/noinst/${uuid}`,
    )
  })

  it('a direct connection transfers bytes', async () => {
    const server = createTcpServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const entry = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const stream = await connectToInstance({ entry, baseUrl: 'http://unused' })
    stream.end('ahoy')
    expect((await buffer(stream)).toString()).toBe('ahoy')
  })

  it('a WebSocket connection transfers bytes, including bytes that arrive with the upgrade response', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: `/api/proxy/${uuid}` })
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    server.on('connection', (socket) => {
      socket.send(Buffer.from('first '))
      socket.on('message', (data) => {
        socket.send(data)
        socket.close()
      })
    })
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const stream = await connectToInstance({ entry: uuid, baseUrl })
    stream.write('second')
    expect((await buffer(stream)).toString()).toBe('first second')
  })

  it('an error about an unreachable address contains the address', async () => {
    const server = createServer((_request, response) => void response.writeHead(404).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await expect(connectToInstance({ entry: uuid, baseUrl })).rejects.toThrow(/Could not connect to ws:.*404/)
  })
})

describe('Chromium', () => {
  it('finds Chromium in CHROMIUM_PATH', () => {
    expect(findChromium({ CHROMIUM_PATH: process.execPath })).toBe(process.execPath)
    expect(findChromium({ CHROMIUM_PATH: '/nowhere/chromium' })).toBeUndefined()
  })

  it('prefers the headless shell of Chromium, in any folder of PATH', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'capstan-chromium-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')] as const
    const PATH = [first, second].join(path.delimiter)
    await Promise.all([mkdir(first), mkdir(second)])
    expect(findChromium({ PATH })).toBeUndefined()
    await symlink(process.execPath, path.join(first, 'chromium'))
    expect(findChromium({ PATH })).toBe(path.join(first, 'chromium'))
    await symlink(process.execPath, path.join(second, 'chromium-headless-shell'))
    expect(findChromium({ PATH })).toBe(path.join(second, 'chromium-headless-shell'))
  })
})
