import { expect, it } from 'vitest'
import { createReadSession } from './session-question.ts'

function from(remoteAddress: string, headers: Record<string, string>) {
  return { headers, socket: { remoteAddress } } as unknown as Parameters<ReturnType<typeof createReadSession>>[0]
}

it.each<[string, Parameters<typeof createReadSession>[0]['trustedProxies'], Record<string, string>, string]>([
  ['through a trusted proxy that names HTTPS', ['10.0.0.0/8'], { 'x-forwarded-proto': 'https' }, 'https'],
  ['as a secure WebSocket', ['10.0.0.0/8'], { 'x-forwarded-proto': 'wss' }, 'https'],
  ['through two proxies, where the last one counts', true, { 'x-forwarded-proto': 'http, https' }, 'https'],
  ['through a proxy that names no protocol', ['10.0.0.0/8'], {}, 'http'],
  ['directly and claims HTTPS', false, { 'x-forwarded-proto': 'https' }, 'http'],
  ['through an untrusted proxy', ['192.0.2.0/24'], { 'x-forwarded-proto': 'https' }, 'http'],
])('reads the protocol of a client that connects %s', (_name, trusted, headers, protocol) => {
  const read = createReadSession({ trustedProxies: trusted })
  expect(read(from('10.1.2.3', { ...headers, cookie: 'a=b' }))).toEqual({ cookie: 'a=b', protocol })
})

it('a client without a cookie has no session', () => {
  expect(createReadSession({ trustedProxies: true })(from('10.1.2.3', { 'x-forwarded-proto': 'https' }))).toBeUndefined()
})

it('accepts an API token only if the call allows it, and ignores it beside a cookie', () => {
  const read = createReadSession({ trustedProxies: false })
  const request = from('10.1.2.3', { authorization: 'Bearer a.b' })
  expect(read(request)).toBeUndefined()
  expect(read(request, true)).toEqual({ cookie: '', protocol: 'http', authorization: 'Bearer a.b' })
  expect(read(from('10.1.2.3', { authorization: 'Bearer a.b', cookie: 'a=b' }))).toEqual({ cookie: 'a=b', protocol: 'http' })
})
