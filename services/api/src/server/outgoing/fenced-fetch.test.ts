import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAddressFence } from './address-rules.ts'
import { createFencedFetch, OutgoingError } from './fenced-fetch.ts'

let server: Server
let port: number
let reached: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`)
    const status = Number(new URL(request.url ?? '/', 'http://server').searchParams.get('status') ?? 200)
    response.writeHead(status, { location: '/end' })
    if (request.url === '/silent') return
    if (request.url === '/endless') {
      const timer = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(timer))
      return
    }
    if (request.url === '/switching') {
      request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n')
      return
    }
    if (request.url === '/closing') return void request.socket.end()
    response.end(request.url === '/large' ? 'x'.repeat(5_000_000) : 'hello')
  })
  // Listens on all addresses of the machine, so that every form of a loopback address would reach this listener.
  await new Promise<void>((done) => server.listen(0, '::', done))
  port = (server.address() as AddressInfo).port
})

beforeEach(() => {
  reached = []
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Starts an HTTPS server for the name `chat.example`, with a self-signed certificate. */
async function startSecureServer() {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'chat.example' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'chat.example' }] }],
  })
  const secure = createSecureServer({ cert, key }, (_, response) => response.end('secure'))
  await new Promise<void>((done) => secure.listen(0, '::', done))
  return { server: secure, port: (secure.address() as AddressInfo).port, authorities: cert }
}

const closed = { allowed: [], blocked: ['203.0.114.0/24'], http: true }
/** Configuration that permits `127.0.0.2`, although this address is private. */
const open = { ...closed, allowed: ['127.0.0.2'] }

const refusedHosts = [
  // Loopback in every notation that URLs accept.
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '017700000001', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.255.255.254'],
  ...['0', '0.0.0.0', '0.1.2.3', 'localhost', 'LOCALHOST', '１２７.0.0.1', '127。0。0。1'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]'],
  // IPv6 addresses that translate or tunnel to IPv4.
  ...['[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2002:a00:1::1]', '[2001::1]'],
  // Private networks and networks of providers.
  ...['10.0.0.1', '10.96.0.1', '172.16.0.1', '172.31.255.254', '192.168.0.1', '167772161', '0xc0a80001'],
  ...['100.64.0.1', '100.127.255.254', '[fc00::1]', '[fd12:3456::1]', '[fec0::1]', '[::ffff:10.0.0.1]'],
  // Link-local networks and metadata services.
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '[fe80::1]', '[fd00:ec2::254]', '[::ffff:a9fe:a9fe]', '168.63.129.16'],
  // Multicast, documentation, benchmarks and reserved networks.
  ...['224.0.0.1', '239.255.255.250', '255.255.255.255', '240.0.0.1', '192.0.2.1', '198.18.0.1', '192.88.99.1', '[ff02::1]'],
  ...['[2001:db8::1]', '[100::1]', '[4000::1]'],
  // Networks that the configuration blocks.
  ...['203.0.114.7', '[::ffff:203.0.114.7]'],
]

describe('addresses of requests', () => {
  test.each(refusedHosts)('refuses a request to http://%s without opening a connection', async (host) => {
    const request = createFencedFetch(closed).request(`http://${host}:${port}/`)
    await expect(request).rejects.toThrow('private or reserved network')
    expect(reached).toEqual([])
  })

  test.each(['93.184.216.34', '2606:2800:220:1::1', '::ffff:93.184.216.34', '64:ff9b::5db8:d822'])('permits %s', (address) => {
    expect(createAddressFence(closed).permitsAddress(address)).toBe(true)
  })

  test('reaches an address and a host name that the configuration allows', async () => {
    const byAddress = await createFencedFetch(open).request(`http://127.0.0.2:${port}/a`)
    const byName = await createFencedFetch({ ...closed, allowed: ['LocalHost'] }).request(`http://localhost:${port}/b`)
    expect([byAddress.text, byName.text]).toEqual(['hello', 'hello'])
    expect(reached).toEqual(['GET /a -', 'GET /b -'])
  })

  test.each(['ftp://example.org', 'file:///etc/passwd', 'gopher://example.org', 'data:text/plain,x', 'http://example.org'])(
    'refuses the scheme of %s',
    async (address) => {
      await expect(createFencedFetch({ ...closed, http: false }).request(address)).rejects.toThrow('begin with https://')
    },
  )

  test.each(['', 'example', 'https://', 'https://user:word@example.org'])('refuses the address "%s"', async (address) => {
    await expect(createFencedFetch(closed).request(address)).rejects.toThrow(OutgoingError)
  })
})

describe('requests to host names', () => {
  test('connects to the checked address even if DNS returns another address later', async () => {
    const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.1']
    let asked = 0
    const fetch = createFencedFetch(open, async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }])
    const { status } = await fetch.request(`http://changing.example:${port}/`)
    expect([status, asked, reached.length]).toEqual([200, 1, 1])
    await expect(fetch.request(`http://changing.example:${port}/`)).rejects.toThrow('private or reserved network')
    expect(reached).toHaveLength(1)
  })

  test.each([
    ['one of several addresses is private', ['127.0.0.2', '10.0.0.1']],
    ['the address is mapped', ['::ffff:127.0.0.1']],
    ['the answer is no address', ['metadata.internal']],
  ])('refuses a host name if %s', async (_, addresses) => {
    const fetch = createFencedFetch(open, async () => addresses.map((address) => ({ address, family: 4 })))
    await expect(fetch.request(`http://name.example:${port}/`)).rejects.toThrow('private or reserved network')
    expect(reached).toEqual([])
  })

  test('reports that a name is unknown or has no address', async () => {
    const unknown = createFencedFetch(open, async () => Promise.reject(new Error('ENOTFOUND')))
    await expect(unknown.request('http://name.example/')).rejects.toThrow('could not be resolved')
    const empty = createFencedFetch(open, async () => [])
    await expect(empty.request('http://name.example/')).rejects.toThrow('has no address')
  })
})

describe('responses and redirects', () => {
  test.each([301, 302, 303, 307, 308])('returns a redirect with the status %s and does not follow it', async (status) => {
    const request = { method: 'POST', body: '{}', headers: { authorization: 'Bearer secret' } } as const
    const answer = await createFencedFetch(open).request(`http://127.0.0.2:${port}/?status=${status}`, request)
    expect([answer.status, answer.headers.location]).toEqual([status, '/end'])
    expect(reached).toEqual([`POST /?status=${status} Bearer secret`])
  })

  test('reads only the first bytes of a large response', async () => {
    const { text } = await createFencedFetch(open).request(`http://127.0.0.2:${port}/large`, { maxBytes: 1_000 })
    expect(text).toHaveLength(1_000)
  })

  test('aborts a request that gets no response', async () => {
    const request = createFencedFetch(open).request(`http://127.0.0.2:${port}/silent`, { timeoutMs: 50 })
    await expect(request).rejects.toThrow('did not answer in time')
  })

  test('aborts a request whose response never ends', async () => {
    const request = createFencedFetch(open).request(`http://127.0.0.2:${port}/endless`, { timeoutMs: 50 })
    await expect(request).rejects.toThrow(OutgoingError)
  })

  test('a request fails if the server switches to another protocol', async () => {
    const request = createFencedFetch(open).request(`http://127.0.0.2:${port}/switching`)
    await expect(request).rejects.toThrow('closed the connection without an answer')
  })

  test('a request fails if the server closes the connection', async () => {
    await expect(createFencedFetch(open).request(`http://127.0.0.2:${port}/closing`)).rejects.toThrow('(ECONNRESET)')
  })

  test('reports the reason if a connection fails', async () => {
    await expect(createFencedFetch(open).request('http://127.0.0.2:1/')).rejects.toThrow('could not be reached (ECONNREFUSED)')
  })
})

describe('requests through an HTTP proxy', () => {
  let proxy: Server
  let proxyPort: number
  let requested: string[] = []
  beforeAll(async () => {
    proxy = createServer((_, response) => response.writeHead(405).end())
    proxy.on('connect', (request, socket) => {
      requested.push(request.url ?? '')
      if (request.url?.startsWith('127.0.0.3')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      const target = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        target.pipe(socket).pipe(target)
      })
      target.on('error', () => socket.destroy())
      socket.on('error', () => target.destroy())
    })
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
    proxyPort = (proxy.address() as AddressInfo).port
  })
  beforeEach(() => {
    requested = []
  })
  afterAll(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const throughProxy = () => ({ ...open, allowed: ['127.0.0.2', '127.0.0.3'], proxy: `http://127.0.0.1:${proxyPort}` })

  test('the proxy receives the checked address instead of the host name, and forwards the request', async () => {
    const fetch = createFencedFetch(throughProxy(), async () => [{ address: '127.0.0.2', family: 4 }])
    const { text } = await fetch.request(`http://chat.example:${port}/a`)
    expect([text, requested, reached]).toEqual(['hello', [`127.0.0.2:${port}`], ['GET /a -']])
  })

  test.each(['10.0.0.1', '169.254.169.254', '::1'])(
    'the proxy gets no request for a name that resolves to %s',
    async (address) => {
      const fetch = createFencedFetch(throughProxy(), async () => [{ address, family: 4 }])
      await expect(fetch.request(`http://name.example:${port}/`)).rejects.toThrow('private or reserved network')
      expect(requested).toEqual([])
    },
  )

  test('if the proxy refuses the connection, the error mentions the proxy', async () => {
    const request = createFencedFetch(throughProxy()).request(`http://127.0.0.3:${port}/`)
    await expect(request).rejects.toThrow('The proxy refused the connection (403).')
  })

  test('the proxy forwards TLS to a server with a certificate of a private authority', async () => {
    const { server: secure, port: securePort, authorities } = await startSecureServer()
    const address = `https://chat.example:${securePort}/`
    const resolve = async () => [{ address: '127.0.0.2', family: 4 }]
    const { text } = await createFencedFetch({ ...throughProxy(), authorities }, resolve).request(address)
    expect(text).toBe('secure')
    await expect(createFencedFetch(throughProxy(), resolve).request(address)).rejects.toThrow('could not be reached')
    secure.close()
  })
})

test('a certificate of a private authority is valid only for the host names in the certificate', async () => {
  const { server: secure, port: securePort, authorities } = await startSecureServer()
  const resolve = async () => [{ address: '127.0.0.2', family: 4 }]
  const fetch = createFencedFetch({ ...open, authorities }, resolve)
  expect((await fetch.request(`https://chat.example:${securePort}/`)).text).toBe('secure')
  await expect(fetch.request(`https://other.example:${securePort}/`)).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID')
  await expect(createFencedFetch(open, resolve).request(`https://chat.example:${securePort}/`)).rejects.toThrow(
    'could not be reached',
  )
  secure.close()
})

test('invalid certificates are refused when the client is created', () => {
  expect(() =>
    createFencedFetch({ ...open, authorities: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }),
  ).toThrow()
})
