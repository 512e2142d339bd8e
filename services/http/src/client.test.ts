import type { IncomingMessage } from 'node:http'
import { readSettings } from '@capstan/settings/read'
import { describe, expect, it } from 'vitest'
import { createClientReader, createForwardingHeaderWriter, trustedProxies } from './client.ts'

const internalToken = 'a secret for tests only'

/** Returns a request with only the parts that identify its client. */
function from(remoteAddress: string, headers: Record<string, string> = {}) {
  return { headers: { host: 'ctf.example', ...headers }, socket: { remoteAddress } } as unknown as IncomingMessage
}

const claims = {
  'x-forwarded-for': '198.51.100.4',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'evil.example',
  'x-real-ip': '127.0.0.1',
  forwarded: 'for=127.0.0.1;proto=https;host=evil.example',
}

describe('the client of a request', () => {
  it.each(['10.0.0.9', '192.168.1.9', 'fd00::9', '127.0.0.1', '203.0.113.9'])(
    'the client has the address %s of its connection if no proxy is trusted',
    (address) => {
      const read = createClientReader({ trustedProxies: false, internalToken })
      expect(read(from(address, claims))).toEqual({
        address,
        protocol: 'http',
        host: 'ctf.example',
        isForwarded: false,
        isLocal: false,
      })
    },
  )

  it('the client has the address of the peer if the peer is not a trusted proxy', () => {
    const read = createClientReader({ trustedProxies: ['10.0.0.1'] })
    expect(read(from('10.0.0.2', claims)).address).toBe('10.0.0.2')
  })

  it('the client has the last address in X-Forwarded-For that belongs to no trusted proxy', () => {
    const read = createClientReader({ trustedProxies: ['10.0.0.0/24', '192.0.2.1'] })
    const chain = { ...claims, 'x-forwarded-for': '127.0.0.1, 203.0.113.9, 192.0.2.1' }
    expect(read(from('::ffff:10.0.0.1', chain))).toEqual({
      address: '203.0.113.9',
      protocol: 'https',
      host: 'evil.example',
      isForwarded: true,
      isLocal: false,
    })
  })

  it('the client has the address of the proxy if the proxy sends no valid address', () => {
    const read = createClientReader({ trustedProxies: ['10.0.0.1'] })
    for (const named of ['unknown', '_hidden', '', '203.0.113.9:4711'])
      expect(read(from('10.0.0.1', { 'x-forwarded-for': named })).address).toBe('10.0.0.1')
  })

  it('the client has the protocol and host that the last of several proxies sent', () => {
    const read = createClientReader({ trustedProxies: true })
    const said = { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'evil.example, ctf.example.org' }
    expect(read(from('10.0.0.1', said))).toMatchObject({ protocol: 'http', host: 'ctf.example.org' })
  })

  it('the client is local only if it is on this machine and sends no headers of a proxy', () => {
    const read = createClientReader({ trustedProxies: ['loopback'] })
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) expect(read(from(address)).isLocal).toBe(true)
    expect(read(from('192.168.1.9')).isLocal).toBe(false)
    for (const [name, value] of Object.entries({ ...claims, via: '1.1 edge' }))
      expect([name, read(from('127.0.0.1', { [name]: value })).isLocal]).toEqual([name, false])
  })
})

describe('the web process', () => {
  const passOn = (request: IncomingMessage, token = internalToken): IncomingMessage => {
    const read = createClientReader({ trustedProxies: ['10.0.0.1'] })
    createForwardingHeaderWriter(token)(request, read(request))
    return { headers: request.headers, socket: { remoteAddress: '10.244.0.7' } } as unknown as IncomingMessage
  }
  const read = createClientReader({ trustedProxies: false, internalToken })

  it('a process trusts the X-Forwarded-For header of the web process, even from an unknown address', () => {
    expect(read(passOn(from('203.0.113.9')))).toEqual({
      address: '203.0.113.9',
      protocol: 'http',
      host: 'ctf.example',
      isForwarded: true,
      isLocal: false,
    })
  })

  it('forwards the headers of a trusted proxy', () => {
    expect(read(passOn(from('10.0.0.1', claims)))).toEqual({
      address: '198.51.100.4',
      protocol: 'https',
      host: 'evil.example',
      isForwarded: true,
      isLocal: false,
    })
  })

  it('removes proxy headers that an untrusted client sent', () => {
    const passed = passOn(from('10.0.0.2', { ...claims, 'x-forwarded-proof': 'guessed', 'x-forwarded-port': '1' }))
    expect(passed.headers).toEqual({
      host: 'ctf.example',
      'x-forwarded-for': '10.0.0.2',
      'x-forwarded-proto': 'http',
      'x-forwarded-proof': expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(read(passed)).toMatchObject({ address: '10.0.0.2', protocol: 'http', host: 'ctf.example' })
  })

  it('the web process proves its identity with the shared secret, but does not reveal the secret', () => {
    expect(read(passOn(from('203.0.113.9'), 'another secret')).address).toBe('10.244.0.7')
    expect(JSON.stringify(passOn(from('203.0.113.9')).headers)).not.toContain(internalToken)
    const guessed = { ...claims, 'x-forwarded-proof': internalToken }
    expect(read(from('10.0.0.2', guessed)).address).toBe('10.0.0.2')
  })

  it('the web process does not let a client fake its address by a chain of addresses', () => {
    const request = from('203.0.113.9', { 'x-forwarded-for': '127.0.0.1, 127.0.0.1' })
    expect(read(passOn(request)).address).toBe('203.0.113.9')
  })
})

describe('the list of trusted proxies', () => {
  it.each([
    ['false', false],
    ['true', true],
    ['', []],
    [' 10.0.0.0/8, loopback ', ['10.0.0.0/8', 'loopback']],
    ['10.0.0.0/99', undefined],
    ['everybody', undefined],
  ])('the list of trusted proxies %j is parsed as %j', (text, list) => expect(trustedProxies.kind.parse(text)).toEqual(list))

  it('the list of trusted proxies is empty by default', () => {
    expect(readSettings({}, (reader) => reader.read({ trustedProxies }))).toEqual({ trustedProxies: false })
  })
})
