import { describe, expect, it } from 'vitest'
import {
  createSettingKind,
  decimal,
  httpUrl,
  integer,
  type Kind,
  list,
  milliseconds,
  oneOf,
  onOff,
  portKind,
  portRange,
  secret,
  siteOrigin,
  text,
  url,
} from './kinds.ts'

const colors = oneOf(['Red', 'Green'], 'Green')
const hosts = list('host names', 'one,two', (entry) => entry.length < 5)
const store = url(['redis:', 'rediss:'], 'redis://:password@redis:6379', { isSecret: true })

const cases: [string, Kind<unknown>, expected: string, right: [string, unknown][], wrong: string[]][] = [
  ['a text', text('a name', 'ada'), 'a name', [['x', 'x']], []],
  ['any secret', secret(), 'a secret', [[' x ', ' x ']], []],
  ['a long secret', secret(4), 'a secret of at least 4 characters', [['abcd', 'abcd']], ['abc']],
  [
    ...(['a whole number', integer(-1, 1000, 7)] as const),
    'a whole number from -1 to 1000',
    [
      ['-1', -1],
      ['1000', 1000],
      ['1e+02', 100],
    ],
    ['-2', '1001', '1.5', 'many', 'NaN', '1 000', 'Infinity'],
  ],
  ['a number with a unit', integer(1, 9, 7, 'seconds'), 'a whole number of seconds from 1 to 9', [['9', 9]], ['9s']],
  ['a number', decimal(0, 1, 0.5), 'a number from 0 to 1', [['0.05', 0.05]], ['1.1', '-0.1', 'half', 'NaN']],
  ['a port', portKind(8080), 'a whole number from 0 to 65535', [['65535', 65_535]], ['65536', '-1', 'tcp://10.0.0.1:8080']],
  [
    ...(['a range of ports', portRange(100, '31000-31099')] as const),
    'a port, or a range of at most 100 ports with a hyphen',
    [
      ['31000-31001', { first: 31_000, last: 31_001 }],
      ['8080', { first: 8080, last: 8080 }],
    ],
    ['31000-31100', '9-8', 'http'],
  ],
  [
    ...(['an origin', siteOrigin('https://ctf.example.org')] as const),
    'http:// or https:// and a host without a path: the platform must be at the root of its host, and a path such as /ctf/ does not work',
    [
      ['https://ctf.example.org', 'https://ctf.example.org'],
      ['http://10.0.0.5:8080/', 'http://10.0.0.5:8080/'],
    ],
    ['https://example.org/ctf', 'https://example.org/ctf/', 'https://example.org/?a', 'ftp://a', 'example.org', 'https://a@b'],
  ],
  ['a time', milliseconds(100, 50), 'a whole number of milliseconds from 50 to 86400000', [['50', 50]], ['49', '86400001', '1s']],
  ['a choice', colors, 'one of Red, Green', [['rED', 'Red']], ['Blue', '']],
  [
    ...(['a switch', onOff('on')] as const),
    'on or off',
    [
      ['on', true],
      ['True', true],
      ['OFF', false],
      ['false', false],
    ],
    ['yes', '1', 'onoff'],
  ],
  [
    'a list',
    hosts,
    'host names, separated by commas',
    [
      [' a, ,b ', ['a', 'b']],
      [',', []],
    ],
    ['a,longer'],
  ],
  [
    ...(['an address', store] as const),
    'an address that begins with redis:// or rediss://',
    [['rediss://:pass@redis', 'rediss://:pass@redis']],
    ['http://redis', 'redis', '//redis'],
  ],
  [
    ...(['an address of the web', httpUrl('http://api:8080')] as const),
    'an address that begins with http:// or https://',
    [['https://ctf.example.org', 'https://ctf.example.org']],
    ['ctf.example.org', 'javascript:alert(1)', 'https://'],
  ],
  ['a custom kind', createSettingKind('a pair', '1-2', (given) => given.split('-').at(1)), 'a pair', [['3-4', '4']], ['3']],
]

describe.each(cases)('%s', (_name, of, expected, right, wrong) => {
  it('every kind has a description and a valid example', () => {
    expect(of.expected).toBe(expected)
    expect(of.parse(of.example)).not.toBeUndefined()
  })

  it('accepts only valid values', () => {
    for (const [given, value] of right) expect(of.parse(given)).toEqual(value)
    for (const given of wrong) expect(of.parse(given), given).toBeUndefined()
  })
})

it('marks secrets, and addresses that contain passwords, as secret', () => {
  expect([secret().isSecret, store.isSecret, httpUrl('http://api').isSecret, colors.isSecret]).toEqual([true, true, false, false])
})
