import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { BodyLimits, maxJsonDepth } from '@capstan/contract/limits'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'

let context: TestApp
let admin: TestClient
let port: number
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
  await context.app.listen({ host: '127.0.0.1', port: 0 })
  port = (context.app.server.address() as AddressInfo).port
})
afterAll(() => context.close())

const json = { 'content-type': 'application/json' }
function logIn(payload: string | Buffer, headers: Record<string, string> = {}) {
  return context.app.inject({ method: 'POST', url: '/api/account/login', payload, headers: { ...json, ...headers } })
}
function outcome({ statusCode, json }: { statusCode: number; json(): { code: string } }) {
  return [statusCode, json().code]
}

/** Returns JSON of exactly this many bytes. */
function textOf(bytes: number) {
  return JSON.stringify({ userName: 'a'.repeat(bytes - '{"userName":""}'.length) })
}

test('refuses a body of more than 64 KiB', async () => {
  expect(outcome(await logIn(textOf(64 * 1024)))).toEqual([400, 'request.invalid'])
  expect(outcome(await logIn(textOf(64 * 1024 + 1)))).toEqual([413, 'request.too-large'])
})

test('calls with long texts accept a larger body if the user has the right to make the call', async () => {
  const url = '/api/admin/config'
  const footer = (length: number) => ({ globalConfig: { footerInfo: '\u{1F6A9}'.repeat(length) } })
  expect((await admin.put(url, footer(200_000))).statusCode).toBe(200)
  expect(outcome(await admin.put(url, footer(300_000)))).toEqual([400, 'request.invalid'])
  expect(outcome(await admin.put(url, footer(600_000)))).toEqual([413, 'request.too-large'])
  // A client without a session is refused before the size of the body is checked.
  const visitor = createTestClient(context.app)
  expect(outcome(await visitor.put(url, footer(600_000)))).toEqual([401, 'session.required'])
})

test('accepts a challenge with a thousand files and flags', async () => {
  const flags = Array.from({ length: 1_000 }, (_, id) => ({
    id,
    flag: `flag{${'f'.repeat(100)}}`,
    attachment: { id, type: 'Remote', url: `https://files.example.org/${'u'.repeat(100)}`, fileSize: null },
  }))
  const game = await admin.post('/api/edit/games', {
    title: 'Large',
    start: '2030-01-01T00:00:00Z',
    end: '2030-01-02T00:00:00Z',
  })
  const challenges = `/api/edit/games/${game.json().id}/challenges`
  const created = await admin.post(challenges, { title: 'Files', type: 'DynamicAttachment' })
  const { id } = created.json()
  expect((await admin.put(`${challenges}/${id}`, { ...(created.json() as object), content: 'new', flags })).statusCode).toBe(200)
  expect((await admin.post(`${challenges}/${id}/flags`, flags)).statusCode).toBe(200)
  const read = await admin.get(`${challenges}/${id}`)
  expect([read.json().content, read.json().flags.length]).toEqual(['new', 1_000])
})

test('refuses JSON with too many levels or values before parsing', async () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const deep = await logIn(`{"userName":"a","password":"b","challenge":${nested(maxJsonDepth)}}`)
  expect(outcome(deep)).toEqual([400, 'request.invalid'])
  const members = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0])))
  const many = (count: number) => `{"userName":"a","password":"b","more":${members(count)}}`
  expect(outcome(await logIn(many(BodyLimits.default.maxValues - 10)))).toEqual([401, 'login.failed'])
  expect(outcome(await logIn(many(BodyLimits.default.maxValues)))).toEqual([413, 'request.too-large'])
})

test('JSON members that would change the prototype are dropped, and the last of duplicate members counts', async () => {
  const user = (await signInAsNewUser(context)).client
  const update = (payload: string) => user.inject({ method: 'PUT', url: '/api/account/update', payload, headers: json })
  expect((await update('{"bio":"first","bio":"second","bio":"third"}')).statusCode).toBe(200)
  expect((await user.get('/api/account/profile')).json().bio).toBe('third')
  expect((await update('{"__proto__":{"bio":"inherited"},"constructor":{"prototype":{"bio":"made"}}}')).statusCode).toBe(200)
  expect((await user.get('/api/account/profile')).json().bio).toBe('third')
  const divisions = '{"title":"t","start":"2030-01-01T00:00:00Z","end":"2030-01-02T00:00:00Z","organizations":{"__proto__":null}}'
  const game = await admin.inject({ method: 'POST', url: '/api/edit/games', payload: divisions, headers: json })
  expect([game.statusCode, game.json().organizations]).toEqual([200, null])
})

test('ignores an invalid body if the call takes no body', async () => {
  const { client } = await signInAsNewUser(context)
  const answer = await client.inject({ method: 'POST', url: '/api/account/logout', payload: '{"a":', headers: json })
  expect(answer.statusCode).toBe(200)
})

/** Opens a connection and collects everything that it receives. */
async function open() {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  // The server may reset the connection, so errors are ignored.
  socket.on('error', () => {})
  await once(socket, 'connect')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, received: () => received, closed }
}
function head(path: string, ...headers: string[]) {
  return [`POST ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n')
}

test('the api refuses a Content-Length above the limit without waiting for the body', async () => {
  const { socket, received } = await open()
  socket.write(head('/api/account/login', 'content-type: application/json', 'content-length: 1000000000'))
  await expect.poll(received).toContain('"code":"request.too-large"')
  expect(received()).toMatch(/^HTTP\/1\.1 413 /)
  socket.destroy()
})

test('a client that keeps sending can read the response and reuse the connection', async () => {
  const { socket, received } = await open()
  const size = 8 * 1024 * 1024
  const types = ['content-type: application/json', `content-length: ${size}`]
  socket.write(head('/api/account/login', ...types))
  socket.write('['.repeat(size))
  socket.write(head('/api/account/logout', 'content-length: 0'))
  await expect.poll(received).toMatch(/^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 401 /)
  socket.destroy()
})

test('reads a JSON body of many chunks, but refuses it if the chunks are very small', async () => {
  const send = async (content: string, times: number) => {
    const { socket, received, closed } = await open()
    socket.write(head('/api/account/login', 'content-type: application/json', 'transfer-encoding: chunked', 'connection: close'))
    socket.write(`${content.length.toString(16)}\r\n${content}\r\n`.repeat(times))
    socket.write('2\r\n{}\r\n0\r\n\r\n')
    await closed
    return received()
  }
  expect(await send(' '.repeat(40), 1_500)).toContain('"code":"request.invalid"')
  expect(await send(' ', 1_500)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n/)
})

test.each([
  ['a call that takes JSON', '/api/account/login', 'application/json', /^HTTP\/1\.1 413 /],
  ['a call that takes JSON, as text', '/api/account/login', 'text/plain', /^HTTP\/1\.1 415 /],
  ['a call that the sender may not make', '/api/account/logout', 'text/plain', /^HTTP\/1\.1 401 /],
  ['an unknown address', '/api/nothing', 'text/plain', /^HTTP\/1\.1 404 /],
])('the connection of an endless body without a length is closed: %s', async (_name, path, type, status) => {
  const { socket, received, closed } = await open()
  let isClosed = false
  void closed.then(() => {
    isClosed = true
  })
  socket.write(head(path, `content-type: ${type}`, 'transfer-encoding: chunked'))
  const chunk = `4000\r\n${'['.repeat(0x4000)}\r\n`
  for (let sent = 0; !isClosed && sent < 4_000; sent++)
    await Promise.race([closed, new Promise((resolve) => socket.write(chunk, resolve))])
  await closed
  expect(received()).toMatch(status)
})
