import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildApp } from '../app.ts'
import { startTestApp, type TestApp } from '../testing/app.ts'
import { aChallenge, aGame } from '../testing/organizing-factories.ts'
import { aPlayer } from '../testing/playing-factories.ts'

let context: TestApp
/** The same on the same database, with the lane closed: it writes a line for every request, to nowhere. */
let without: FastifyInstance
let path = ''
let etag = ''

const portOf = (app: FastifyInstance): number => (app.server.address() as AddressInfo).port

/** Everything that comes back on a connection until it ends. */
const talk = (app: FastifyInstance, request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: portOf(app), host: '127.0.0.1' }, () => socket.write(request, 'latin1'))
    let answer = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(answer))
  })

/** Without what differs from one answer to the next: times, the ids of refused requests with their length, the order of headers. */
const settled = (answer: string): string =>
  answer
    .replaceAll(/\r\nDate: [^\r]*/g, '\r\nDate: now')
    .replaceAll(/content-length: \d+([^{]*\{[^}]*"requestId":")[\w-]+/g, 'content-length: some$1id')
    .replaceAll(/(HTTP\/1\.1 \d+ [^\r]*\r\n)((?:[\w-]+:[^\r]*\r\n)+)/g, (_, status: string, headers: string) =>
      [status, ...headers.split('\r\n').sort()].join('\r\n'),
    )

beforeAll(async () => {
  context = await startTestApp({ config: { production: true } })
  without = await buildApp(context.deps, { logger: pino({ level: 'debug' }, { write: () => {} }) })
  for (const app of [context.app, without]) await app.listen({ host: '127.0.0.1', port: 0 })
  const game = await aGame(context.db)
  // Large enough to be compressed.
  for (let index = 0; index < 20; index += 1)
    await aChallenge(context.db, { gameId: game.id, category: 'Pwn', title: `Stack ${index}` })
  await aPlayer(context, { gameId: game.id })
  path = `/api/game/${game.id}/scoreboard`
  for (const app of [context.app, without])
    for (const encoding of ['identity', 'gzip', 'br', 'zstd'])
      etag = /^etag: (.*)\r$/im.exec(await talk(app, `${ask(path, `Accept-Encoding: ${encoding}`)}${last}`))?.[1] ?? ''
})
afterAll(async () => {
  await without.close()
  await context.close()
})

const ask = (target: string, headers = '', method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\nHost: ctf.example.org\r\n${headers === '' ? '' : `${headers}\r\n`}\r\n`

/** Ends the connection, and shows that it was of use until then. */
const last = 'GET /healthz HTTP/1.1\r\nHost: ctf.example.org\r\nConnection: close\r\n\r\n'

/** With these headers it is for the lane. */
const taken: readonly (() => string)[] = [
  () => '',
  () => 'Accept-Encoding: gzip, deflate, br, zstd',
  () => 'Accept-Encoding: GZIP',
  () => 'Accept-Encoding: gzip;q=0',
  () => 'Accept-Encoding: gzip;q=0, br;q=0.1, *;q=0',
  () => 'Accept-Encoding: gzip, gzip;q=0',
  () => 'Accept-Encoding: identity;q=0',
  () => 'Accept-Encoding: *',
  () => 'Accept-Encoding: *;q=0',
  () => 'Accept-Encoding:',
  () => 'Accept-Encoding: gzip\r\nAccept-Encoding: br',
  () => `Accept-Encoding: gzip, ${'x'.repeat(2_000)}`,
  () => `If-None-Match: ${etag}`,
  () => `If-None-Match: ${etag.replace('W/', '')}`,
  () => `If-None-Match: "a", ${etag} , "b"`,
  () => `If-None-Match: "a"\r\nIf-None-Match: ${etag}`,
  () => 'If-None-Match: *',
  () => 'If-None-Match: "*"',
  () => 'If-None-Match: "other"',
  () => 'If-None-Match:',
  () => `If-None-Match: ${etag}, "${'x'.repeat(5_000)}"`,
  () => `If-None-Match: ${etag}\r\nAccept-Encoding: gzip`,
  () => 'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT',
  () => 'Range: bytes=0-9',
  () => 'Accept: text/html',
  () => 'Accept-Language: de-AT,de;q=0.9',
  () => 'Accept-Language: \xe9\xff;;q=,',
  () => 'Origin: https://elsewhere.example.org',
  () => 'Origin: null\r\nSec-Fetch-Site: cross-site',
  () => 'X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https',
  () => 'X-HTTP-Method-Override: DELETE',
  () => 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  () => 'Expect: 100-continue',
  () => 'X-Odd: \xe9',
]

/** Requests that the framework answers, however alike they look. */
const left: readonly (() => string)[] = [
  () => ask(path, '', 'HEAD'),
  () => ask(path, `If-None-Match: ${etag}`, 'HEAD'),
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'].map((method) => () => ask(path, '', method)),
  ...['?', '?a=b', '?since=1', '/', '//', '%20', '.', ';x', '/changes', '#top'].map((end) => () => ask(`${path}${end}`)),
  () => ask(path.replace('score', '%73core')),
  () => ask(path.replace('/score', '%2fscore')),
  () => ask(path.replace('/api', '//api')),
  () => ask(path.replace('/game/', '/game/./')),
  ...['-1', '+1', '1e0', '0x1', '1234567890', '99999999999999999999', '%31', '1%00', 'x'].map(
    (id) => () => ask(`/api/game/${id}/scoreboard`),
  ),
  () => ask(`http://ctf.example.org${path}`),
  () => ask(path, 'Cookie: theme=dark'),
  () => ask(path, 'Cookie:'),
  () => ask(path, 'Authorization: Bearer nobody.knows'),
  () => ask(path, 'Content-Length: 0'),
  () => `${ask(path, 'Content-Length: 5')}hello`,
  () => `${ask(path, 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  () => ask(path, 'Expect: nothing'),
]

/** As the router reads addresses. */
const alike: readonly (() => string)[] = [
  () => ask(path.toUpperCase()),
  () => ask(path.replace(/(\d+)/, '00$1')),
  () => ask('/api/game/999999999/scoreboard'),
  () => ask('/api/game/0/scoreboard'),
  () => `GET ${path} HTTP/1.0\r\n\r\n`,
  () => `GET ${path} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${ask(path)}`,
  () => `GET ${path} HTTP/1.1\r\n\r\n`,
  () => ask(path, 'Connection: close'),
  () => ask(path, 'Connection: Keep-Alive, close'),
  () => `${ask(path)}${ask(path)}${ask(path, `If-None-Match: ${etag}`)}${ask('/api/game')}${ask(path)}`,
]

const compare = async (request: string): Promise<string> => {
  const [lane, framework] = [await talk(context.app, `${request}${last}`), await talk(without, `${request}${last}`)]
  expect(settled(lane)).toBe(settled(framework))
  return lane
}

test.each(taken.map((headers) => [headers] as const))(
  'a visitor is answered to the byte as by the framework: %#',
  async (headers) => {
    const read = vi.spyOn(context.app.scoreboards, 'read')
    expect(await compare(ask(path, headers()))).toMatch(/^HTTP\/1\.1 (100|200|304) /)
    expect(read).not.toHaveBeenCalled()
    read.mockRestore()
  },
)

test.each(left.map((request) => [request] as const))(
  'what is not for the lane is answered by the framework: %#',
  async (request) => {
    expect(await compare(request())).toMatch(/^HTTP\/1\.1 \d{3} /)
  },
)

test.each(alike.map((request) => [request] as const))('addresses and versions mean the same to both: %#', async (request) => {
  expect(await compare(request())).toMatch(/^HTTP\/1\.1 \d{3} /)
})
