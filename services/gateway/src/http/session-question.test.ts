import { expect, it } from 'vitest'
import { createReadSession } from './session-question.ts'

function from(remoteAddress: string, headers: Record<string, string>) {
  return { headers, socket: { remoteAddress } } as unknown as Parameters<ReturnType<typeof createReadSession>>[0]
}

it.each<[string, Parameters<typeof createReadSession>[0]['trustedProxies'], Record<string, string>, string]>([
  ['by a trusted proxy that says so', ['10.0.0.0/8'], { 'x-forwarded-proto': 'https' }, 'https'],
  ['as a secure WebSocket', ['10.0.0.0/8'], { 'x-forwarded-proto': 'wss' }, 'https'],
  ['through two proxies, of which the last one counts', true, { 'x-forwarded-proto': 'http, https' }, 'https'],
  ['by a proxy that says nothing', ['10.0.0.0/8'], {}, 'http'],
  ['by whoever claims it', false, { 'x-forwarded-proto': 'https' }, 'http'],
  ['by a proxy outside of the list', ['192.0.2.0/24'], { 'x-forwarded-proto': 'https' }, 'http'],
])('a client that connects %s', (_name, trusted, headers, protocol) => {
  const read = createReadSession({ trustedProxies: trusted })
  expect(read(from('10.1.2.3', { ...headers, cookie: 'a=b' }))).toEqual({ cookie: 'a=b', protocol })
})

it('has no session without a cookie', () => {
  expect(createReadSession({ trustedProxies: true })(from('10.1.2.3', { 'x-forwarded-proto': 'https' }))).toBeUndefined()
})

it('an API token counts if it may replace a session', () => {
  const read = createReadSession({ trustedProxies: false })
  const request = from('10.1.2.3', { authorization: 'Bearer a.b' })
  expect(read(request)).toBeUndefined()
  expect(read(request, true)).toEqual({ cookie: '', protocol: 'http', authorization: 'Bearer a.b' })
  expect(read(from('10.1.2.3', { authorization: 'Bearer a.b', cookie: 'a=b' }))).toEqual({ cookie: 'a=b', protocol: 'http' })
})
