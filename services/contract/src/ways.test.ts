import { describe, expect, test } from 'vitest'
import { type ChallengeReach, instanceNameOf, listAdditionalPlainPorts, parseInstanceName } from './reach.ts'
import { listAccessMethods, listPublicAccessMethods, type OfferedWays } from './ways.ts'

const offer: OfferedWays = { domain: 'play.example.org', web: 'https', webPort: null, tlsPort: 1337 }
const instance = { id: 'some-id', label: 'abcdefghijklmnop2345', gatewayPort: 31_007, isTest: false, key: 'the-key' }
const http: ChallengeReach = { speaks: 'http', isRaw: false, hasOwnCertificate: false }
function addresses(challenge: ChallengeReach, changes: Partial<OfferedWays> = {}, row: Partial<typeof instance> = {}) {
  return listAccessMethods({ ...instance, ...row }, challenge, { ...offer, ...changes }).map(
    ({ way, address }) => `${way} ${address}`,
  )
}

describe('listAccessMethods', () => {
  test('lists the plain port first if the challenge speaks TCP', () => {
    expect(addresses({ ...http, speaks: 'tcp' })).toEqual([
      'tcp play.example.org:31007',
      'tls abcdefghijklmnop2345.play.example.org:1337',
      'websocket /api/proxy/some-id',
    ])
  })

  test('lists the HTTP address first if the challenge speaks HTTP', () => {
    expect(addresses(http)).toEqual([
      'http https://abcdefghijklmnop2345.play.example.org/',
      'tls abcdefghijklmnop2345.play.example.org:1337',
      'tcp play.example.org:31007',
      'websocket /api/proxy/some-id',
    ])
  })

  test('the TCP address is marked with `isTls` if the instance has a certificate', () => {
    expect(listAccessMethods(instance, { ...http, speaks: 'tcp', hasOwnCertificate: true }, offer)).toEqual([
      { way: 'tls', address: 'abcdefghijklmnop2345.play.example.org:1337' },
      { way: 'tcp', address: 'play.example.org:31007', isTls: true },
      { way: 'websocket', address: '/api/proxy/some-id' },
    ])
  })

  test('returns each access method with the label of its port', () => {
    const offered = [
      { port: 9000, speaks: 'tcp' as const, label: 'Debug console' },
      { port: 9001, speaks: 'http' as const },
    ]
    const ways = listAccessMethods(instance, { ...http, speaks: 'tcp' }, offer, offered, 'Shop')
    expect(ways.map(({ way, port, label }) => [way, port, label])).toEqual([
      ['tcp', undefined, 'Shop'],
      ['tls', undefined, 'Shop'],
      ['websocket', undefined, 'Shop'],
      ['tls', 9000, 'Debug console'],
      ['http', 9001, undefined],
      ['tls', 9001, undefined],
    ])
  })

  test.each<[string, ChallengeReach, Partial<OfferedWays>, Partial<typeof instance>, string]>([
    ['HTTP on another port', http, { web: 'http', webPort: 8080 }, {}, 'http http://abcdefghijklmnop2345.play.example.org:8080/'],
    ['HTTP on its default port', http, { web: 'http', webPort: 80 }, {}, 'http http://abcdefghijklmnop2345.play.example.org/'],
    ['raw HTTP', { ...http, isRaw: true }, {}, {}, 'http https://abcdefghijklmnop2345.play.example.org:1337/'],
    ['raw HTTP if there is no TLS port', { ...http, isRaw: true }, { tlsPort: null }, {}, 'http http://play.example.org:31007/'],
    [
      'HTTP of an instance with its own certificate',
      { ...http, hasOwnCertificate: true },
      { tlsPort: null },
      {},
      'http https://play.example.org:31007/',
    ],
    ['HTTP if host names do not resolve', http, { web: 'off' }, {}, 'tls abcdefghijklmnop2345.play.example.org:1337'],
    ['a test instance', http, { domain: null }, { isTest: true }, 'websocket /api/proxy/noinst/some-id'],
  ])('lists the most suitable way first: %s', (_name, challenge, changes, row, first) => {
    expect(addresses(challenge, changes, row)[0]).toBe(first)
  })

  test('lists only the WebSocket and an HTTP address with a key if the instance is guarded', () => {
    const guarded = { ...http, isGuarded: true }
    expect(listAccessMethods(instance, guarded, offer)).toEqual([
      { way: 'http', address: 'https://abcdefghijklmnop2345.play.example.org/', key: 'the-key' },
      { way: 'websocket', address: '/api/proxy/some-id' },
    ])
    expect(addresses(guarded, { web: 'off' })[0]).toBe('http https://abcdefghijklmnop2345.play.example.org:1337/')
    expect(addresses(guarded, { web: 'off', tlsPort: null })).toEqual(['websocket /api/proxy/some-id'])
  })

  test('lists no key if the instance is not guarded', () => {
    for (const challenge of [
      http,
      { ...http, isGuarded: true, isRaw: true },
      { ...http, isGuarded: true, speaks: 'tcp' as const },
    ])
      expect(JSON.stringify(listAccessMethods(instance, challenge, offer))).not.toContain('the-key')
  })

  test('lists only the WebSocket if the gateways have no domain', () => {
    expect(addresses(http, { domain: null })).toEqual(['websocket /api/proxy/some-id'])
  })
})

describe('listAccessMethods with additional ports', () => {
  const offered = [
    { port: 8080, speaks: 'http' },
    { port: 9000, speaks: 'tcp' },
    { port: 9001, speaks: 'tcp' },
  ] as const
  const shown = (challenge: ChallengeReach, changes: Partial<OfferedWays> = {}) =>
    listAccessMethods(instance, challenge, { ...offer, ...changes }, offered).map(({ way, address, port, key }) =>
      [way, address, port, key].filter((each) => each !== undefined).join(' '),
    )

  test('lists the access methods of the entry port first, and a separate host name for each additional port', () => {
    expect(shown({ ...http, speaks: 'tcp' })).toEqual([
      'tcp play.example.org:31007',
      'tls abcdefghijklmnop2345.play.example.org:1337',
      'websocket /api/proxy/some-id',
      'http https://abcdefghijklmnop2345-8080.play.example.org/ 8080',
      'tls abcdefghijklmnop2345-8080.play.example.org:1337 8080',
      'tls abcdefghijklmnop2345-9000.play.example.org:1337 9000',
      'tls abcdefghijklmnop2345-9001.play.example.org:1337 9001',
    ])
  })

  test("assigns the instance's plain port to the first additional TCP port if the entry port does not need a plain port", () => {
    const tcp = (challenge: ChallengeReach) => shown(challenge).filter((line) => line.startsWith('tcp '))
    expect(tcp(http)).toEqual(['tcp play.example.org:31007 9000'])
    expect(tcp({ ...http, isRaw: true })).toEqual(['tcp play.example.org:31007'])
    expect(tcp({ ...http, hasOwnCertificate: true })).toEqual(['tcp play.example.org:31007'])
  })

  test('lists a separate plain port for each additional TCP port that has one', () => {
    const furtherGatewayPorts = new Map([
      [9000, 31_008],
      [9001, 31_009],
    ])
    const tcp = (challenge: ChallengeReach) =>
      listAccessMethods({ ...instance, furtherGatewayPorts }, challenge, offer, offered)
        .filter(({ way }) => way === 'tcp')
        .map(({ address, port }) => `${address} ${port ?? 'entry'}`)
    expect(tcp({ ...http, speaks: 'tcp' })).toEqual([
      'play.example.org:31007 entry',
      'play.example.org:31008 9000',
      'play.example.org:31009 9001',
    ])
    expect(tcp(http)).toEqual(['play.example.org:31007 9000', 'play.example.org:31009 9001'])
    expect(tcp({ ...http, isGuarded: true })).toEqual([])
  })

  test('lists TLS addresses for additional HTTP ports if the gateway must not parse the requests', () => {
    const special = [
      { port: 8080, speaks: 'http', isRaw: true },
      { port: 8443, speaks: 'http', hasOwnCertificate: true },
    ] as const
    const shown = listAccessMethods({ ...instance, furtherGatewayPorts: new Map([[8080, 31_008]]) }, http, offer, special)
    expect(shown.slice(4).map(({ way, address }) => `${way} ${address}`)).toEqual([
      'http https://abcdefghijklmnop2345-8080.play.example.org:1337/',
      'tls abcdefghijklmnop2345-8080.play.example.org:1337',
      'tcp play.example.org:31008',
      'http https://abcdefghijklmnop2345-8443.play.example.org:1337/',
      'tls abcdefghijklmnop2345-8443.play.example.org:1337',
    ])
    expect(listAdditionalPlainPorts({ ...http, isGuarded: true }, special)).toEqual([])
    expect(listAdditionalPlainPorts(http, special)).toEqual([8080, 8443])
    expect(listAdditionalPlainPorts(http, offered)).toEqual([9001])
    expect(listAdditionalPlainPorts({ ...http, speaks: 'tcp' }, offered)).toEqual([9000, 9001])
  })

  test('lists only HTTP addresses for additional ports if the instance is guarded', () => {
    expect(shown({ ...http, isGuarded: true })).toEqual([
      'http https://abcdefghijklmnop2345.play.example.org/ the-key',
      'websocket /api/proxy/some-id',
      'http https://abcdefghijklmnop2345-8080.play.example.org/ 8080 the-key',
    ])
  })

  test('lists no access methods for additional ports if the gateways have no domain', () => {
    expect(shown(http, { domain: null })).toEqual(['websocket /api/proxy/some-id'])
  })

  test('the public address of an additional port contains a `*` instead of the instance label', () => {
    expect(listPublicAccessMethods(instance, http, offer, offered.slice(0, 1)).at(-1)).toEqual({
      way: 'tls',
      address: '*-8080.play.example.org:1337',
      port: 8080,
    })
  })
})

test.each<[string, ReturnType<typeof parseInstanceName>]>([
  ['abcdefghijklmnop2345', { label: 'abcdefghijklmnop2345', port: undefined }],
  ['abcdefghijklmnop2345-8080', { label: 'abcdefghijklmnop2345', port: 8080 }],
  ['abcdefghijklmnop2345-65535', { label: 'abcdefghijklmnop2345', port: 65_535 }],
  ...[
    'abcdefghijklmnop2345-65536',
    'abcdefghijklmnop2345-0',
    'abcdefghijklmnop2345-080',
    'abcdefghijklmnop2345-',
    'abcdefghijklmnop2345-80-80',
    'abcdefghijklmnop2345.80',
    'abcdefghijklmnop234',
    'Abcdefghijklmnop2345',
  ].map((name): [string, undefined] => [name, undefined]),
])('the host name %s is either refused or parsed so that it can be restored', (name, read) => {
  expect(parseInstanceName(name)).toEqual(read)
  if (read) expect(instanceNameOf(read)).toBe(name)
})

test('users without access see the public port, but neither the instance label nor the WebSocket', () => {
  const shown = (challenge: ChallengeReach, changes: Partial<OfferedWays> = {}) =>
    listPublicAccessMethods(instance, challenge, { ...offer, ...changes })
  expect(shown(http)).toEqual([
    { way: 'http', address: 'https://*.play.example.org/' },
    { way: 'tls', address: '*.play.example.org:1337' },
    { way: 'tcp', address: 'play.example.org:31007' },
  ])
  expect(shown({ ...http, isGuarded: true })).toEqual([{ way: 'http', address: 'https://*.play.example.org/' }])
  expect(shown({ ...http, isRaw: true })[0]).toEqual({ way: 'http', address: 'https://*.play.example.org:1337/' })
  expect(shown(http, { domain: null })).toEqual([])
})
