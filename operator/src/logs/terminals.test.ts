import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { pathOfTerminalRequest } from '@capstan/challenge-instance/terminal-request'
import { silentLog } from '@capstan/kubernetes/testing/silent-log'
import { type KubeObject, objectKeyOf } from '@capstan/kubernetes/types'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { Caches } from '../challenge-instance/ports.ts'
import { anInstance, aPod } from '../testing/builders.ts'
import { createLogServer } from './log-server.ts'
import { createTerminalSource } from './terminal-source.ts'
import { maxOpenTerminals } from './terminals.ts'

const token = 'a token of the tests'

function cacheOf(...objects: KubeObject[]) {
  const store = new Map(objects.map((object) => [objectKeyOf(object), object]))
  return { get: (key: string) => store.get(key) }
}

function aTestInstance(instance = anInstance()): ChallengeInstance {
  const { teamId: _team, participationId: _participation, ...spec } = instance.spec
  return { ...instance, spec }
}

type Options = Readonly<{
  instance?: ChallengeInstance
  hasPod?: boolean
  hasTerminals?: boolean
  openMs?: number
  /** Refusal of the API server to run a command. Undefined if the API server accepts the command. */
  refuse?: (socket: Duplex) => unknown
  /** First messages that the simulated API server sends in a terminal. */
  beginning?: readonly string[]
}>

/** Starts a stand-in of the API server, and an operator's listener that uses it. */
async function start({
  instance = aTestInstance(),
  hasPod = true,
  hasTerminals = true,
  openMs,
  refuse,
  beginning = ['\u0001', '\u0001# '],
}: Options = {}) {
  const asked: { url: URL; authorization: string | undefined; protocols: string | undefined }[] = []
  const shells: { socket: WebSocket; received: Buffer[] }[] = []
  const api = createServer()
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false })
  api.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    asked.push({
      url: new URL(request.url ?? '', 'http://api'),
      authorization: request.headers.authorization,
      protocols: request.headers['sec-websocket-protocol'],
    })
    if (refuse) {
      refuse(socket)
      return
    }
    sockets.handleUpgrade(request, socket, head, (shell) => {
      const received: Buffer[] = []
      shell.on('error', () => {})
      shell.on('message', (data: Buffer) => void received.push(data))
      shells.push({ socket: shell, received })
      for (const message of beginning) shell.send(Buffer.from(message))
    })
  })
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  const none = cacheOf()
  const caches = {
    instances: cacheOf(instance),
    pods: hasPod ? cacheOf(aPod()) : none,
    services: none,
    networkPolicies: none,
    secrets: none,
  } as unknown as Caches
  const access = {
    server: new URL(`http://127.0.0.1:${(api.address() as AddressInfo).port}/cluster`),
    requestOptions: async () => ({ headers: { authorization: 'Bearer of the operator' } }),
  }
  const server = createLogServer({
    source: { open: () => undefined },
    events: { list: async () => undefined },
    terminals: hasTerminals ? createTerminalSource({ access, caches, namespace: 'arena' }) : undefined,
    token,
    log: silentLog,
    ...(openMs !== undefined && { openMs }),
  })
  const port = await server.listen(0, '127.0.0.1')
  onTestFinished(async () => {
    for (const { socket } of shells) socket.terminate()
    await server.close()
    api.closeAllConnections()
    api.close()
  })
  const open = async (container = 'challenge', headers: Record<string, string> = { authorization: `Bearer ${token}` }) => {
    const address = `ws://127.0.0.1:${port}${pathOfTerminalRequest({ instance: 'ci-1', container })}`
    const socket = new WebSocket(address, { headers })
    onTestFinished(() => socket.terminate())
    const output: string[] = []
    const ends: number[] = []
    socket.on('error', () => {})
    socket.on('message', (data: Buffer) => void output.push(data.toString()))
    socket.on('close', (code) => void ends.push(code))
    const status = await Promise.race([
      once(socket, 'open').then(() => 101),
      once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode as number),
    ])
    return { socket, output, ends, status }
  }
  return { open, asked, shells, server }
}

it('runs a shell with a terminal in the container of a test instance', async () => {
  const { open, asked } = await start()
  expect((await open()).status).toBe(101)
  const [{ url, authorization, protocols } = { url: undefined }] = asked
  expect(url?.pathname).toBe('/cluster/api/v1/namespaces/arena/pods/ci-1/exec')
  expect(Object.fromEntries(url?.searchParams ?? [])).toMatchObject({
    ...{ container: 'challenge', stdin: 'true', stdout: 'true', tty: 'true' },
  })
  expect(url?.searchParams.getAll('command')[0]).toBe('/bin/sh')
  expect([authorization, protocols]).toEqual(['Bearer of the operator', 'v5.channel.k8s.io,v4.channel.k8s.io'])
})

it('forwards keyboard input, terminal sizes and output, but not the exit status of the command', async () => {
  const { open, shells } = await start()
  const { socket, output } = await open()
  socket.send(Buffer.from('ls\r'))
  socket.send('{"columns":80,"rows":24}', { binary: false })
  socket.send('{"columns":0,"rows":24}', { binary: false })
  socket.send(Buffer.from('x'))
  await expect.poll(() => shells[0]?.received.length === 3).toBe(true)
  expect(shells[0]?.received.map((data) => [data[0], data.subarray(1).toString()])).toEqual([
    [0, 'ls\r'],
    [4, '{"Width":80,"Height":24}'],
    [0, 'x'],
  ])
  const send = (channel: number, text: string) => shells[0]?.socket.send(Buffer.from([channel, ...Buffer.from(text)]))
  send(1, 'bin etc\r\n')
  send(3, '{"status":"Failure"}')
  send(2, 'not found')
  await expect.poll(() => output.length === 4).toBe(true)
  expect(output).toEqual(['', '# ', 'bin etc\r\n', 'not found'])
})

it.each([
  ['no token', {}],
  ['a wrong token', { authorization: 'Bearer another token' }],
])('refuses a request with %s', async (_what, headers) => {
  const { open, asked } = await start()
  expect((await open('challenge', headers as Record<string, string>)).status).toBe(401)
  expect(asked).toEqual([])
})

it.each([
  ['a team', { teamId: 7 }],
  ['a participation', { participationId: 3 }],
])('refuses an instance of %s', async (_what, owner) => {
  const instance = aTestInstance()
  const { open, asked } = await start({ instance: { ...instance, spec: { ...instance.spec, ...owner } } })
  expect((await open()).status).toBe(403)
  expect(asked).toEqual([])
})

it('refuses unknown containers, recorders, and instances without a pod', async () => {
  const { open, asked } = await start()
  expect([(await open('db')).status, (await open('capture')).status]).toEqual([404, 404])
  const { open: openWithoutPod } = await start({ hasPod: false })
  expect((await openWithoutPod()).status).toBe(404)
  expect(asked).toEqual([])
})

it('opens no terminals if the settings disable them', async () => {
  const { open, asked } = await start({ hasTerminals: false })
  expect((await open()).status).toBe(404)
  expect(asked).toEqual([])
})

it('answers 502 if the API server refuses or does not answer', async () => {
  const refusing = await start({ refuse: (socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n') })
  expect((await refusing.open()).status).toBe(502)
  const broken = await start({ refuse: (socket) => socket.destroy() })
  expect((await broken.open()).status).toBe(502)
})

it('answers 502 if the image has no shell', async () => {
  const status = '\u0003{"status":"Failure","message":"exec: \\"/bin/sh\\": no such file or directory"}'
  const { open, shells } = await start({ beginning: ['\u0001', status] })
  expect((await open()).status).toBe(502)
  await expect.poll(() => shells[0]?.socket.readyState === WebSocket.CLOSED).toBe(true)
})

it('ends the input of the shell when the client disconnects', async () => {
  const { open, shells } = await start()
  const { socket } = await open()
  socket.terminate()
  await expect.poll(() => shells[0]?.socket.readyState === WebSocket.CLOSED).toBe(true)
  expect(shells[0]?.received.map((data) => [...data])).toEqual([[0, 4]])
})

it('a terminal closes if the shell ends, the maximum time is over, or the operator stops', async () => {
  const { open, shells, server } = await start()
  const first = await open()
  shells[0]?.socket.close()
  await expect.poll(() => first.ends.length === 1).toBe(true)
  expect(first.ends).toEqual([1000])
  const { open: openBriefly } = await start({ openMs: 50 })
  const brief = await openBriefly()
  await expect.poll(() => brief.ends.length === 1).toBe(true)
  expect(brief.ends).toEqual([1000])
  const last = await open()
  await server.close()
  await expect
    .poll(() => last.ends.length === 1 && shells.every(({ socket }) => socket.readyState === WebSocket.CLOSED))
    .toBe(true)
})

it('refuses terminals above the maximum number, and accepts a new terminal after another terminal ends', async () => {
  const { open } = await start()
  const terminals = await Promise.all(Array.from({ length: maxOpenTerminals }, () => open()))
  expect(terminals.every(({ status }) => status === 101)).toBe(true)
  expect((await open()).status).toBe(429)
  terminals[0]?.socket.terminate()
  await expect.poll(async () => (await open()).status === 101).toBe(true)
})

it('continues to serve after a reset of the client’s or the API server’s connection', async () => {
  const { open, shells } = await start()
  for (const who of ['reader', 'shell'] as const) {
    const { socket, ends } = await open()
    const shell = shells.at(-1)!.socket
    for (let sent = 0; sent < 100; sent += 1) {
      socket.send(Buffer.alloc(10_000))
      shell.send(Buffer.alloc(10_000, 1))
    }
    const { _socket: raw } = (who === 'reader' ? socket : shell) as unknown as { _socket: { resetAndDestroy(): void } }
    raw.resetAndDestroy()
    await expect.poll(() => ends.length === 1 && shell.readyState === WebSocket.CLOSED).toBe(true)
  }
  expect((await open()).status).toBe(101)
})
