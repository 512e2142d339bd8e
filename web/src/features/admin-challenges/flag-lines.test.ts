import { describe, expect, it } from 'vitest'
import { hasFileExtension, listFlagsOfFiles, parseFlagAndUrlLines, parseFlagLines, rateFlagFileSupply } from './flag-lines.ts'

const none = new Set<string>()

describe('pasted flags', () => {
  it('the parser reads and trims one flag per line, and skips empty lines', () => {
    expect(parseFlagLines('  flag{a}  \r\n\n flag{b}', none)).toEqual([
      { number: 1, flag: 'flag{a}' },
      { number: 3, flag: 'flag{b}' },
    ])
  })

  it('the parser reports flags that are duplicate, already stored or too long', () => {
    const lines = parseFlagLines(`flag{a}\nflag{a}\nflag{old}\n${'x'.repeat(128)}\n${'y'.repeat(127)}`, new Set(['flag{old}']))
    expect(lines.map(({ fault }) => fault)).toEqual([undefined, 'twice', 'known', 'long', undefined])
  })
})

describe('pasted lines with a flag and an address', () => {
  it('the parser splits a flag and its address at the last space', () => {
    expect(parseFlagAndUrlLines('flag{a b} https://files.example/1.zip\nflag{c}\thttp://files.example/2', none)).toEqual([
      { number: 1, flag: 'flag{a b}', url: 'https://files.example/1.zip' },
      { number: 2, flag: 'flag{c}', url: 'http://files.example/2' },
    ])
  })

  it('the parser requires a web address after the flag', () => {
    const lines = parseFlagAndUrlLines('flag{a}\nflag{b} ftp://files.example/1\nflag{c} nowhere', none)
    expect(lines.map(({ fault }) => fault)).toEqual(['noUrl', 'badUrl', 'badUrl'])
  })
})

it.each([
  [0, 0, 'none'],
  [0, 3, 'none'],
  [2, 2, 'short'],
  [1, 4, 'short'],
  [4, 3, 'thin'],
  [5, 3, 'thin'],
  [6, 3, 'enough'],
] as const)('the supply of %i flag files for %i teams is %s while the game runs', (files, teams, supply) => {
  expect(rateFlagFileSupply(files, teams, false)).toBe(supply)
})

it.each([
  [7, 0, 'upcoming'],
  [7, 6, 'upcoming'],
  [7, 7, 'short'],
  [0, 0, 'none'],
] as const)('the supply of %i flag files for %i teams is %s before the game starts', (files, teams, supply) => {
  expect(rateFlagFileSupply(files, teams, true)).toBe(supply)
})

describe('files named after their flags', () => {
  const file = (name: string, size = 1) => ({ name, size })

  it('the check rejects an empty file, because the server does not store empty files', () => {
    const lines = listFlagsOfFiles([file('flag{a}'), file('flag{b}', 0), file('flag{a}')], none)
    expect(lines.map(({ fault }) => fault)).toEqual([undefined, 'empty', 'twice'])
  })

  it('the check finds a file extension only if text follows the whole flag, as in flag{a}.zip', () => {
    expect([
      hasFileExtension('flag{a}'),
      hasFileExtension('flag{a.b}'),
      hasFileExtension('flag{a}.zip'),
      hasFileExtension('notes.txt'),
    ]).toEqual([false, false, true, false])
  })
})
