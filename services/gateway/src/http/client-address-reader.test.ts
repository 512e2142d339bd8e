import type { IncomingMessage } from 'node:http'
import type { TrustedProxies } from '@capstan/http/client'
import { describe, expect, it } from 'vitest'
import { createClientAddressReader } from './client-address-reader.ts'

function read(trusted: TrustedProxies, forwardedFor: string | undefined, remoteAddress = '::ffff:10.0.0.1') {
  return createClientAddressReader({ trustedProxies: trusted })({
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    socket: { remoteAddress },
    connection: { remoteAddress },
  } as unknown as IncomingMessage)
}

describe('createClientAddressReader', () => {
  it.each<[string, string, string]>([
    ['the address that a trusted proxy names', '192.0.2.7', '192.0.2.7'],
    ['the last address in the chain that is no trusted proxy', '198.51.100.1, 192.0.2.7', '192.0.2.7'],
    ['an IPv4 address in the usual notation', '::ffff:192.0.2.7', '192.0.2.7'],
    ['the proxy’s address if the proxy names none', 'unknown', '10.0.0.1'],
    ['the proxy’s address if the named one is malformed', `fe80::1%${'x'.repeat(10_000)}`, '10.0.0.1'],
  ])('returns %s', (_name, header, expected) => {
    expect(read(['10.0.0.0/8'], header)).toBe(expected)
  })

  it('returns the address of the socket if no proxy is trusted', () => {
    expect(read(false, '192.0.2.7')).toBe('10.0.0.1')
    expect(read(false, undefined)).toBe('10.0.0.1')
  })

  it('ignores a forwarded text that is not an IP address, even if all proxies are trusted', () => {
    expect(read(true, 'made up')).toBe('10.0.0.1')
    expect(read(true, '192.0.2.7')).toBe('192.0.2.7')
  })
})
