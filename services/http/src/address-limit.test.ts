import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { ListenerLimits } from '@capstan/contract/limits'
import { expect, onTestFinished, test } from 'vitest'
import type { ListenerClients } from './address-limit.ts'
import { createForwardingHeaderWriter } from './client.ts'
import { startLimitedServer } from './testing/limited-server.ts'

const internalToken = 'a secret for tests only'

/** Starts a listener with a limit of two for each address. It never responds to requests to `/open`. */
async function start(clients: ListenerClients) {
  const refusals: string[] = []
  const responses: ServerResponse[] = []
  const listener: RequestListener = (request, response) => {
    if (request.url !== '/open') return response.end('here')
    return responses.push(response)
  }
  const options = { clients: { connectionsPerAddress: 2, ...clients }, onCut: (reason: string) => void refusals.push(reason) }
  const { port, server, close } = await startLimitedServer(listener, ListenerLimits, options)
  onTestFinished(async () => void (await close()))
  const upgraded: Socket[] = []
  server.on('upgrade', (_request: IncomingMessage, socket: Socket) => {
    upgraded.push(socket)
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  })
  onTestFinished(() => {
    for (const socket of upgraded) socket.destroy()
  })
  /** Sends requests to `/open`, each on a separate connection, and waits until all have arrived. */
  const sendOpen = async (...requests: readonly Record<string, string>[]) => {
    const arrived = responses.length + requests.length
    for (const headers of requests) await open(port, get('/open', headers))
    await expect.poll(() => responses.length).toBe(arrived)
  }
  return { port, refusals, responses, sendOpen }
}

/** Opens a connection from an address of this machine, and sends a text. */
async function open(port: number, text = '', localAddress = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  onTestFinished(() => void socket.destroy())
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes
  })
  socket.on('error', () => {})
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(heard)))
  await once(socket, 'connect')
  socket.write(text)
  return { socket, ended, heard: () => heard }
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

function from(address: string) {
  return { 'x-forwarded-for': address }
}

/** Returns the headers with which the web process sends a request of a client. */
function fromWebProcess(address: string): Record<string, string> {
  const headers: Record<string, string> = {}
  createForwardingHeaderWriter(internalToken)({ headers } as unknown as IncomingMessage, {
    ...{ address, protocol: 'http', host: undefined, isForwarded: false, isLocal: false },
  })
  return headers
}

const upgrade = { connection: 'Upgrade', upgrade: 'websocket' }

test('closes the connections of an address above its limit, and serves other addresses', async () => {
  const { port, refusals } = await start({ trustedProxies: false })
  const first = await open(port, get('/'))
  const second = await open(port, get('/'))
  await expect
    .poll(() => [first.heard(), second.heard()])
    .toEqual([expect.stringContaining('here'), expect.stringContaining('here')])
  expect(await (await open(port, get('/'))).ended).toBe('')
  expect(refusals).toEqual(['listener-address'])
  const other = await open(port, get('/'), '127.0.0.2')
  await expect.poll(other.heard).toContain('here')
  first.socket.destroy()
  await expect.poll(async () => (await open(port, get('/', { connection: 'close' }))).ended).toContain('here')
})

test('counts an upgraded connection until it closes', async () => {
  const { port, refusals } = await start({ trustedProxies: false })
  const sockets = [await open(port, get('/', upgrade)), await open(port, get('/', upgrade))]
  for (const { heard } of sockets) await expect.poll(heard).toContain('101')
  expect(await (await open(port, get('/'))).ended).toBe('')
  expect(refusals).toEqual(['listener-address'])
})

test('ends the connection of a client that sends too many requests without reading, and stops counting these requests', async () => {
  const { port, refusals, responses } = await start({ trustedProxies: false })
  for (let round = 1; round <= 2; round += 1) {
    expect(await (await open(port, get('/open').repeat(3))).ended).toBe('')
    await expect.poll(() => responses.map(({ closed }) => closed)).toEqual(Array(2 * round).fill(true))
  }
  expect(refusals).toEqual(['listener-requests', 'listener-requests'])
  const next = await open(port, get('/'))
  await expect.poll(next.heard).toContain('here')
})

test('answers 64 requests that a client sends at once, and ends the connection of a client that sends 65 requests', async () => {
  const { port, refusals, responses } = await start({ trustedProxies: false, connectionsPerAddress: 1_000 })
  const few = await open(port, get('/').repeat(63) + get('/', { connection: 'close' }))
  expect((await few.ended).match(/here/g)).toHaveLength(64)
  expect(refusals).toEqual([])
  expect(await (await open(port, get('/open').repeat(65) + get('/'))).ended).toBe('')
  expect(refusals).toEqual(['pipelined-requests'])
  await expect.poll(() => responses.map(({ closed }) => closed)).toEqual(Array(64).fill(true))
})

test('a connection carries any number of requests if the client waits for responses', async () => {
  const { port, refusals } = await start({ trustedProxies: false, connectionsPerAddress: 1_000 })
  const { socket, heard } = await open(port)
  for (let count = 50; count <= 200; count += 50) {
    socket.write(get('/').repeat(50))
    await expect.poll(() => heard().match(/here/g)?.length).toBe(count)
  }
  expect(refusals).toEqual([])
})

test('answers 429 to a trusted proxy that sends more than 64 requests at once', async () => {
  const { port, refusals } = await start({ trustedProxies: ['loopback'], connectionsPerAddress: 1_000 })
  const proxied = await open(port, get('/', from('203.0.113.1')).repeat(66))
  expect((await proxied.ended).match(/HTTP\/1\.1 \d+/g)).toEqual([...Array(64).fill('HTTP/1.1 200'), 'HTTP/1.1 429'])
  expect(refusals).toContain('pipelined-requests')
})

test('counts requests with an unknown value of the header Expect', async () => {
  const { port, refusals } = await start({ trustedProxies: false })
  const single = await open(port, get('/', { expect: 'wonders' }))
  await expect.poll(single.heard).toMatch(/^HTTP\/1\.1 417 /)
  expect(await (await open(port, get('/open') + get('/', { expect: 'wonders' }).repeat(2))).ended).toBe('')
  expect(refusals).toEqual(['listener-requests'])
})

test('counts forwarded requests per client, but counts no connection and no other request of a trusted proxy', async () => {
  const { port, refusals, sendOpen } = await start({ trustedProxies: ['loopback'] })
  await sendOpen(from('203.0.113.1'), from('203.0.113.1'), {}, {}, {})
  const refused = await open(port, get('/', from('203.0.113.1')))
  expect(await refused.ended).toMatch(/^HTTP\/1\.1 429 .*\r\nretry-after: 30\r\n/s)
  const other = await open(port, get('/', from('203.0.113.2')))
  await expect.poll(other.heard).toContain('here')
  expect(refusals).toEqual(['listener-requests'])
})

test('counts the requests of one IPv6 network of 64 bits together', async () => {
  const { port, sendOpen } = await start({ trustedProxies: ['loopback'] })
  await sendOpen(from('2001:db8::1'), from('2001:db8::2'))
  expect(await (await open(port, get('/', from('2001:db8::3')))).ended).toContain('429')
  const other = await open(port, get('/', from('2001:db8:0:1::1')))
  await expect.poll(other.heard).toContain('here')
})

test('sends only the refusal to a proxied client that waits for 100 Continue', async () => {
  const { port, sendOpen } = await start({ trustedProxies: ['loopback'] })
  await sendOpen(from('203.0.113.1'), from('203.0.113.1'))
  const refused = await open(port, get('/', { ...from('203.0.113.1'), expect: '100-continue', 'content-length': '5' }))
  expect((await refused.ended).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 429'])
})

test('does not limit the connections of the web process, even if they are upgraded', async () => {
  const { port, refusals, sendOpen } = await start({ trustedProxies: false, internalToken })
  for (const headers of [{}, {}, upgrade, upgrade, {}]) {
    const { heard } = await open(port, get('/', { ...fromWebProcess('203.0.113.1'), ...headers }))
    await expect.poll(heard).toMatch(/^HTTP\/1\.1 (200|101) /)
  }
  await sendOpen(fromWebProcess('203.0.113.2'), fromWebProcess('203.0.113.2'))
  expect(await (await open(port, get('/', fromWebProcess('203.0.113.2')))).ended).toContain('429')
  expect(refusals).toEqual(['listener-requests'])
})

test('stops counting the requests of a connection that a CONNECT request ends', async () => {
  const { port, responses } = await start({ trustedProxies: false })
  await (await open(port, `${get('/open')}${get('/open')}CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n`)).ended
  expect(responses).toHaveLength(2)
  const twice = async () => (await open(port, get('/') + get('/', { connection: 'close' }))).ended
  await expect.poll(async () => (await twice()).match(/here/g)).toHaveLength(2)
})

test('counts requests without a Host, and answers 400', async () => {
  const { port, refusals } = await start({ trustedProxies: false })
  const withoutHost = 'GET / HTTP/1.1\r\n\r\n'
  expect(await (await open(port, withoutHost)).ended).toMatch(/^HTTP\/1\.1 400 /)
  expect(await (await open(port, get('/open') + withoutHost.repeat(2))).ended).toBe('')
  expect(refusals).toEqual(['listener-requests'])
})

test('limits the requests of one IPv6 network of 48 bits to four times the limit of an address', async () => {
  const { port, sendOpen } = await start({ trustedProxies: ['loopback'] })
  for (let network = 0; network < 4; network += 1)
    await sendOpen(from(`2001:db8:1:${network}::1`), from(`2001:db8:1:${network}::1`))
  expect(await (await open(port, get('/', from('2001:db8:1:4::1')))).ended).toContain('429')
  const other = await open(port, get('/', from('2001:db8:2::1')))
  await expect.poll(other.heard).toContain('here')
})
