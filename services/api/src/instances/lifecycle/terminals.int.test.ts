import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Limits, WebSocketLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { openSocket } from '@capstan/kubernetes/sockets'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

const origin = 'http://capstan.test'

let context: TestApp
let admin: TestClient
let container: WebSocketServer
/** Sockets to the container, the newest last, with the messages that they received. */
const shells: { socket: WebSocket; received: string[] }[] = []

function offerTerminals({ runtime }: TestApp): void {
  const { port } = container.address() as AddressInfo
  runtime.terminals.open = () => openSocket(new URL(`ws://127.0.0.1:${port}`), [], {})
}

async function start(): Promise<TestApp> {
  const started = await startTestApp({ config: { publicOrigin: origin } })
  await started.app.listen({ host: '127.0.0.1', port: 0 })
  offerTerminals(started)
  return started
}

beforeAll(async () => {
  container = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  container.on('connection', (socket) => {
    const received: string[] = []
    shells.push({ socket, received })
    socket.on('error', () => {})
    socket.on('message', (data: Buffer, isBinary) => void received.push(`${isBinary ? 'keys' : 'size'} ${data.toString()}`))
  })
  await once(container, 'listening')
  context = await start()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(async () => {
  await context.close()
  container.close()
})
beforeEach(() => {
  context.clock.set(new Date())
  shells.length = 0
})

/** Starts a test instance. @returns the id of the instance, and the path of the call that starts it */
async function aTest({ db } = context, client = admin) {
  const { gameId, id } = await aChallenge(db, { type: 'StaticContainer', containerImage: 'shop:1', port: 80 })
  const path = `/api/edit/games/${gameId}/challenges/${id}/container`
  const { entry } = (await client.post(path)).json<{ entry: string }>()
  return { id: entry, path }
}

function pathOf(id: string, name = 'challenge') {
  return ownOperations.openTerminal.path.replace('{id}', id).replace('{name}', name)
}

type Asking = Readonly<{ client?: TestClient; name?: string; headers?: Record<string, string>; app?: TestApp }>

/** Opens a terminal in the same way as a browser. @returns the socket, or the refusal */
async function open(id: string, { client = admin, name, headers = { origin }, app = context }: Asking = {}) {
  const { port } = app.app.server.address() as AddressInfo
  const cookie = [...client.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
  const socket = new WebSocket(`ws://127.0.0.1:${port}${pathOf(id, name)}`, {
    headers: { ...(cookie && { cookie }), ...headers },
  })
  onTestFinished(() => socket.terminate())
  const output: string[] = []
  const ends: string[] = []
  socket.on('error', () => {})
  socket.on('message', (data: Buffer) => void output.push(data.toString()))
  socket.on('close', (code, reason) => void ends.push(`${code} ${reason.toString()}`))
  const refused = once(socket, 'unexpected-response').then(async ([, answer]) => {
    const pieces = await Array.fromAsync(answer as AsyncIterable<Buffer>)
    return { status: answer.statusCode as number, body: JSON.parse(Buffer.concat(pieces).toString()) as { code: string } }
  })
  refused.catch(() => {})
  const refusal = await Promise.race([once(socket, 'open').then(() => undefined), refused])
  return { socket, output, ends, refusal, code: refusal?.body.code }
}

function linesOf(id: string, { logLines } = context) {
  return logLines.map(({ message }) => message).filter((message) => message.includes(id))
}

test('a terminal forwards input, sizes and output; the log records its opening and closing, but no content', async () => {
  const { id } = await aTest()
  const { socket, output, ends, refusal } = await open(id)
  expect(refusal).toBeUndefined()
  socket.send(JSON.stringify({ columns: 80, rows: 24 }), { binary: false })
  socket.send('no size', { binary: false })
  socket.send(Buffer.from('cat /flag\r'))
  await expect.poll(() => shells[0]?.received.length === 2).toBe(true)
  expect(shells[0]?.received).toEqual(['size {"columns":80,"rows":24}', 'keys cat /flag\r'])
  shells[0]?.socket.send(Buffer.from('flag{secret}'))
  await expect.poll(() => output.length === 1).toBe(true)
  expect(output).toEqual(['flag{secret}'])
  shells[0]?.socket.close()
  await expect.poll(() => ends.length === 1).toBe(true)
  expect(ends).toEqual(['4000 ended'])
  expect(linesOf(id)).toEqual([
    `Opened a terminal in container "challenge" of test instance ${id}`,
    `Closed the terminal in container "challenge" of test instance ${id} (ended)`,
  ])
  expect(context.logLines.filter(({ message }) => message.includes('terminal')).every(({ name }) => name !== 'Anonymous')).toBe(
    true,
  )
  expect(JSON.stringify(context.logLines)).not.toMatch(/flag/)
})

test('the terminal in the container closes when the browser disconnects, and this is logged', async () => {
  const { id } = await aTest()
  const { socket } = await open(id)
  socket.terminate()
  await expect.poll(() => shells[0]?.socket.readyState === WebSocket.CLOSED).toBe(true)
  await expect.poll(() => linesOf(id).length === 2).toBe(true)
  expect(linesOf(id)[1]).toContain('(left)')
})

test.each(['User', 'Monitor', 'Banned'] as const)('a terminal is refused to a user with the role %s', async (role) => {
  const { id } = await aTest()
  const { client } = await signInAsNewUser(context, role)
  const { refusal } = await open(id, { client })
  expect(refusal?.status).toBe(403)
  expect(shells).toEqual([])
})

test('a terminal is refused to visitors, and to the token of an admin', async () => {
  const { id } = await aTest()
  const visitor = { ...admin, cookies: new Map<string, string>() }
  expect((await open(id, { client: visitor })).refusal).toMatchObject({ status: 401, body: { code: 'session.required' } })
  const made = await admin.post('/api/tokens', { name: 'robot', expiresIn: 30, scope: 'WritePlatform' })
  const { token } = made.json<{ token: string }>()
  const headers = { origin, authorization: `Bearer ${token}` }
  expect((await open(id, { client: visitor, headers })).refusal).toMatchObject({ status: 403, body: { code: 'token.scope' } })
  expect(shells).toEqual([])
})

test.each([
  ['another site', { origin: 'https://elsewhere.example' }],
  ['an instance on another port of the site', { origin: 'http://capstan.test:31337' }],
  ['an opaque origin', { origin: 'null' }],
  ['no origin', {}],
])('the api refuses to open a terminal for a request from %s', async (_what, headers) => {
  const { id } = await aTest()
  expect((await open(id, { headers: headers as Record<string, string> })).refusal).toMatchObject({
    status: 403,
    body: { code: 'request.origin' },
  })
  expect(shells).toEqual([])
})

test('a terminal in an instance of a team is refused even to admins', async () => {
  const challenge = await aChallenge(context.db, { type: 'StaticContainer', containerImage: 'shop:1', port: 80 })
  const captain = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const started = await captain.client.post(`/api/game/${challenge.gameId}/container/${challenge.id}`)
  const { entry } = started.json<{ entry: string }>()
  expect((await admin.get(`/api/admin/instances/${entry}/containers`)).json()).toMatchObject({ isTest: false })
  const { refusal, code } = await open(entry)
  expect([refusal?.status, code]).toEqual([400, 'instance.terminal-unavailable'])
  expect(shells).toEqual([])
})

test('the api opens no terminal if the instance is unknown or has ended', async () => {
  const { id, path } = await aTest()
  expect((await open('00000000-0000-4000-8000-000000000000')).code).toBe('instance.unknown')
  expect((await open('no-id')).code).toBe('request.invalid')
  expect((await open(id, { name: 'db' })).code).toBe('instance.unknown')
  context.runtime.terminals.open = async () => {
    throw new Error('The operator did not answer')
  }
  expect((await open(id)).code).toBe('instance.terminal-unavailable')
  offerTerminals(context)
  const { containers } = context.runtime.runtime
  const offered = containers!.openTerminal
  onTestFinished(() => void Object.assign(containers!, { openTerminal: offered }))
  Object.assign(containers!, { openTerminal: undefined })
  expect((await open(id)).code).toBe('instance.terminal-unavailable')
  expect((await admin.get(`/api/admin/instances/${id}/containers`)).json()).toMatchObject({ hasTerminal: false, isTest: true })
  await admin.delete(path)
  expect((await open(id)).code).toBe('instance.unknown')
  expect(shells).toEqual([])
})

test('a terminal requires a WebSocket request, and upgrades of other addresses are ignored', async () => {
  const { id } = await aTest()
  expect((await admin.get(pathOf(id), undefined, { origin })).json()).toMatchObject({ code: 'request.invalid' })
  const { port } = context.app.server.address() as AddressInfo
  const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  const [answer] = await once(get({ port, path: '/healthz', headers }), 'response')
  expect(answer.statusCode).toBe(200)
  const [malformed] = await once(
    get({
      port,
      path: pathOf(id),
      headers: { ...headers, origin, cookie: [...admin.cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
    }),
    'response',
  )
  expect(malformed.statusCode).toBe(400)
})

test('a terminal ends when the session or the instance ends, or the user is no longer an admin', async () => {
  const [one, two, three] = [await aTest(), await aTest(), await aTest()]
  const leaving = (await signInAsNewUser(context, 'Admin')).client
  const { client: demoted, user } = await signInAsNewUser(context, 'Admin')
  const terminals = [
    await open(one.id, { client: leaving }),
    await open(two.id, { client: demoted }),
    await open(three.id),
    await open(three.id, { client: leaving }),
  ]
  expect(terminals.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined, undefined])
  await leaving.post('/api/account/logout')
  await admin.put(`/api/admin/users/${user.id}`, { role: 'User' })
  await admin.delete(three.path)
  await expect.poll(() => terminals.every(({ ends }) => ends.length === 1)).toBe(true)
  expect(terminals.map(({ ends }) => ends[0])).toEqual(Array(4).fill('4000 session'))
  await expect.poll(() => shells.every(({ socket }) => socket.readyState === WebSocket.CLOSED)).toBe(true)
}, 180_000)

test('a terminal ends if it gets no input, or if it is open for the maximum time', async () => {
  const { id } = await aTest()
  const idle = await open(id)
  const used = await open(id)
  context.clock.advanceMs(Limits.idleTerminalMinutes * 60_000)
  used.socket.send(Buffer.from('x'))
  await expect.poll(() => idle.ends.length === 1).toBe(true)
  expect([idle.ends, used.ends]).toEqual([['4000 idle'], []])
  context.clock.advanceMs((Limits.openTerminalMinutes - Limits.idleTerminalMinutes) * 60_000)
  used.socket.send(Buffer.from('x'))
  await expect.poll(() => used.ends.length === 1).toBe(true)
  expect(used.ends).toEqual(['4000 time'])
}, 300_000)

test('a terminal ends on too much input, or on a message that is too large or has too many fragments', async () => {
  const { id } = await aTest()
  const flooding = await open(id)
  const piece = Buffer.alloc(Limits.maxTerminalMessageBytes)
  for (let sent = 0; sent <= Limits.maxTerminalInputBytes; sent += piece.length) flooding.socket.send(piece)
  await expect.poll(() => flooding.ends.length === 1).toBe(true)
  expect(flooding.ends).toEqual(['4000 input'])
  const oversized = await open(id)
  oversized.socket.send(Buffer.alloc(Limits.maxTerminalMessageBytes + 1))
  await expect.poll(() => oversized.ends.length === 1).toBe(true)
  expect(oversized.ends[0]).toMatch(/^1009 /)
  const fragmented = await open(id)
  for (let sent = 0; sent < WebSocketLimits.maxFragments; sent += 1) fragmented.socket.send('x', { fin: false })
  fragmented.socket.send('x', { fin: true })
  await expect.poll(() => fragmented.ends.length === 1).toBe(true)
  expect(fragmented.ends[0]).toMatch(/^1008 /)
  await expect.poll(() => shells.every(({ socket }) => socket.readyState === WebSocket.CLOSED)).toBe(true)
})

test('a terminal above the maximum per admin or process is refused until another terminal is closed', async () => {
  const { id } = await aTest()
  const { client: second } = await signInAsNewUser(context, 'Admin')
  const { client: third } = await signInAsNewUser(context, 'Admin')
  await expect
    .poll(async () => {
      const { socket, refusal } = await open(id)
      socket.terminate()
      return refusal === undefined
    })
    .toBe(true)
  const own: unknown[] = []
  const count = Limits.maxOpenTerminalsPerAdmin
  await expect
    .poll(async () => {
      const terminal = await open(id)
      if (!terminal.refusal) own.push(terminal)
      return own.length === count
    })
    .toBe(true)
  expect((await open(id)).refusal?.status).toBe(429)
  const others = await Promise.all(Array.from({ length: Limits.maxOpenTerminals - count }, () => open(id, { client: second })))
  expect(others.map(({ refusal }) => refusal)).toEqual(others.map(() => undefined))
  expect((await open(id, { client: third })).refusal).toMatchObject({ status: 429, body: { code: 'request.rate-limited' } })
  others[0]?.socket.terminate()
  await expect.poll(async () => (await open(id, { client: third })).refusal === undefined).toBe(true)
})

test('a terminal loses no output if the browser reads slowly', async () => {
  const { id } = await aTest()
  const { socket, output } = await open(id)
  socket.pause()
  const pieces = 512
  const piece = Buffer.alloc(64 * 1024, 'x')
  for (let sent = 0; sent < pieces; sent += 1) shells[0]?.socket.send(piece)
  socket.resume()
  await expect.poll(() => output.length === pieces).toBe(true)
  expect(output.every((text) => text.length === piece.length)).toBe(true)
}, 180_000)

test('the api survives a connection reset by either side in any phase of a terminal', async () => {
  const { id } = await aTest()
  for (const who of ['browser', 'container'] as const) {
    const { socket, ends } = await open(id)
    const shell = shells.at(-1)!.socket
    const raw = (who === 'browser' ? socket : shell) as unknown as { _socket: { resetAndDestroy(): void } }
    for (let sent = 0; sent < 100; sent += 1) {
      socket.send(Buffer.alloc(1_000))
      shell.send(Buffer.alloc(10_000))
    }
    raw._socket.resetAndDestroy()
    await expect.poll(() => ends.length === 1 && shell.readyState === WebSocket.CLOSED).toBe(true)
  }
  const { refusal } = await open(id)
  expect(refusal).toBeUndefined()
})

test('terminals end when the process stops', async () => {
  const other = await start()
  const { client } = await signInAsNewUser(other, 'Admin')
  const { id } = await aTest(other, client)
  const { ends } = await open(id, { client, app: other })
  await other.close()
  await expect.poll(() => ends.length === 1).toBe(true)
  expect(ends).toEqual(['4000 stopping'])
  expect(linesOf(id, other)[1]).toContain('(stopping)')
})
