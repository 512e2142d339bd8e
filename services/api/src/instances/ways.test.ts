import { describe, expect, test } from 'vitest'
import type { WaysConfig } from '../config.ts'
import { listWays, type ReachedChallenge } from './ways.ts'

const config: WaysConfig = {
  domain: 'play.example.org',
  web: 'https',
  webPort: undefined,
  tlsPort: 1337,
  ports: { first: 31_000, last: 31_009 },
}
const instance = { id: 'some-id', label: 'abcdefghijklmnop2345', gatewayPort: 31_007, isTest: false }
const http: ReachedChallenge = { speaks: 'http', isRawHttp: false, hasOwnCertificate: false }
const addresses = (challenge: ReachedChallenge, changes: Partial<WaysConfig> = {}, row: Partial<typeof instance> = {}) =>
  listWays({ ...instance, ...row }, challenge, { ...config, ...changes }).map(({ way, address }) => `${way} ${address}`)

describe('the ways to an instance', () => {
  test('that speaks TCP begin with its port', () => {
    expect(addresses({ ...http, speaks: 'tcp' })).toEqual([
      'tcp play.example.org:31007',
      'tls abcdefghijklmnop2345.play.example.org:1337',
      'websocket /api/proxy/some-id',
    ])
  })

  test('that speaks HTTP begin with its host name', () => {
    expect(addresses(http)).toEqual([
      'http https://abcdefghijklmnop2345.play.example.org/',
      'tls abcdefghijklmnop2345.play.example.org:1337',
      'tcp play.example.org:31007',
      'websocket /api/proxy/some-id',
    ])
  })

  test.each<[string, ReachedChallenge, Partial<WaysConfig>, Partial<typeof instance>, string]>([
    ['on another port', http, { web: 'http', webPort: 8080 }, {}, 'http http://abcdefghijklmnop2345.play.example.org:8080/'],
    ['on the usual port', http, { web: 'http', webPort: 80 }, {}, 'http http://abcdefghijklmnop2345.play.example.org/'],
    ['raw', { ...http, isRawHttp: true }, {}, {}, 'http https://abcdefghijklmnop2345.play.example.org:1337/'],
    ['raw, without TLS', { ...http, isRawHttp: true }, { tlsPort: undefined }, {}, 'http http://play.example.org:31007/'],
    [
      'with its own certificate',
      { ...http, hasOwnCertificate: true },
      { tlsPort: undefined },
      {},
      'http https://play.example.org:31007/',
    ],
    ['where host names lead nowhere', http, { web: 'off' }, {}, 'tls abcdefghijklmnop2345.play.example.org:1337'],
    ['of a test', http, { domain: undefined }, { isTest: true }, 'websocket /api/proxy/noinst/some-id'],
  ])('%s begin with what fits', (_name, challenge, changes, row, first) => {
    expect(addresses(challenge, changes, row)[0]).toBe(first)
  })

  test('are WebSockets alone where there is no domain', () => {
    expect(addresses(http, { domain: undefined })).toEqual(['websocket /api/proxy/some-id'])
  })
})
