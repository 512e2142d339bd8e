import type { ChallengeReach, ReachOffer } from '@capstan/contract/reach'
import { expect, test } from 'vitest'
import { previewConnections } from './reach-preview.ts'

const all: ReachOffer = {
  ...{
    isDirect: false,
    domain: 'play.example',
    web: 'https',
    webPort: null,
    tlsPort: 1337,
    firstPort: 31_000,
    sharesSite: false,
  },
}
const tcp: ChallengeReach = { speaks: 'tcp', isRaw: false, hasOwnCertificate: false, isGuarded: false }
const http = { ...tcp, speaks: 'http' } as const

test('the preview lists additional ports last, and warns if players cannot reach them', () => {
  const asked = [
    { port: 8080, speaks: 'http' },
    { port: 9000, speaks: 'tcp' },
  ] as const
  const shown = (changes: Partial<ReachOffer>, reach: ChallengeReach = tcp) => {
    const { ways, lack } = previewConnections(reach, { ...all, ...changes }, asked)
    return [ways.map(({ way, port = '' }) => way + port).join(' '), lack]
  }
  expect(shown({})).toEqual(['tcp tls websocket http8080 tls8080 tcp9000 tls9000', undefined])
  expect(shown({ web: 'off', tlsPort: null })).toEqual(['tcp websocket tcp9000', 'ports'])
  expect(shown({}, { ...http, isGuarded: true })).toEqual(['http websocket http8080', 'ports'])
})

test.each<[string, ChallengeReach, Partial<ReachOffer>, string, string | undefined]>([
  ['TCP', tcp, {}, 'tcp tls websocket', undefined],
  ['HTTP', http, {}, 'http tls websocket', undefined],
  ['HTTP with an access key', { ...http, isGuarded: true }, {}, 'http websocket', undefined],
  ['direct addresses', http, { isDirect: true }, '', 'direct'],
  ['no domain', http, { domain: null }, 'websocket', 'tunnel'],
  ['TCP without ports', tcp, { firstPort: null, tlsPort: null }, 'websocket', 'tunnel'],
  ['host names that lead nowhere', http, { web: 'off' }, 'tls websocket', 'browser'],
  ['raw HTTP without TLS and ports', { ...http, isRaw: true }, { firstPort: null, tlsPort: null }, 'websocket', 'browser'],
  ['a certificate without TLS', { ...tcp, hasOwnCertificate: true }, { tlsPort: null }, 'tcp websocket', 'certificate'],
])('lists the connections for %s, and reports which one is missing, if any', (_name, reach, changes, ways, lack) => {
  const preview = previewConnections(reach, { ...all, ...changes })
  expect([preview.ways.map(({ way }) => way).join(' '), preview.lack]).toEqual([ways, lack])
})

test('the preview includes a plain TCP port of an HTTP challenge if the author requests one', () => {
  expect(previewConnections(http, all, [], true).ways.map(({ way }) => way)).toEqual(['http', 'tls', 'tcp', 'websocket'])
})
