import { expect, it } from 'vitest'
import { createSessionReader } from './session-reader.ts'

function from(remoteAddress: string, headers: Record<string, string>) {
  return { headers, socket: { remoteAddress } } as unknown as Parameters<ReturnType<typeof createSessionReader>>[0]
}

it.each<[string, Parameters<typeof createSessionReader>[0]['trustedProxies'], Record<string, string>, string]>([
  ['through a trusted proxy that names HTTPS', ['10.0.0.0/8'], { 'x-forwarded-proto': 'https' }, 'https'],
  ['as a secure WebSocket', ['10.0.0.0/8'], { 'x-forwarded-proto': 'wss' }, 'https'],
  ['through two proxies, where the last one counts', true, { 'x-forwarded-proto': 'http, https' }, 'https'],
  ['through a proxy that names no protocol', ['10.0.0.0/8'], {}, 'http'],
  ['directly and claims HTTPS', false, { 'x-forwarded-proto': 'https' }, 'http'],
  ['through an untrusted proxy', ['192.0.2.0/24'], { 'x-forwarded-proto': 'https' }, 'http'],
])('reads the protocol of a client that connects %s', (_name, trusted, headers, protocol) => {
  const read = createSessionReader({ trustedProxies: trusted })
  expect(read(from('10.1.2.3', { ...headers, cookie: 'a=b' }))).toEqual({ cookie: 'a=b', protocol })
})

it('a client without a cookie has no session', () => {
  expect(createSessionReader({ trustedProxies: true })(from('10.1.2.3', { 'x-forwarded-proto': 'https' }))).toBeUndefined()
})

it('accepts an API token only if the call allows tokens and the client sends no cookie', () => {
  const read = createSessionReader({ trustedProxies: false })
  const request = from('10.1.2.3', { authorization: 'Bearer a.b' })
  expect(read(request)).toBeUndefined()
  expect(read(request, true)).toEqual({ cookie: '', protocol: 'http', authorization: 'Bearer a.b' })
  expect(read(from('10.1.2.3', { authorization: 'Bearer a.b', cookie: 'a=b' }))).toEqual({ cookie: 'a=b', protocol: 'http' })
})
