import { languageCodes } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyLanguage, i18n, loadAreas, startI18n } from '../../lib/i18n.ts'
import { countTeams, readBulkUsers, rowOfPointer, toBulkUsers } from './bulk-users.ts'
import { readCsv, separatorOf, textOf } from './csv.ts'

const good = 'mira,Secret1,mira@example.org'

describe('reading separated text', () => {
  it.each([
    ['a,b,c', ','],
    ['a;b;c,d', ';'],
    ['a\tb\tc', '\t'],
    ['"a;b;c",d', ','],
    ['alone', ','],
  ])('finds the separator of %j', (text, separator) => {
    expect(separatorOf(text)).toBe(separator)
  })

  it('keeps separators, quotation marks and line breaks inside quotes', () => {
    expect(readCsv('"Lovelace, Ada","says ""hi""","two\nlines"\nb,c,d').rows).toEqual([
      { line: 1, values: ['Lovelace, Ada', 'says "hi"', 'two\nlines'] },
      { line: 3, values: ['b', 'c', 'd'] },
    ])
  })

  it('skips blank lines but counts them, and drops byte order mark and carriage returns', () => {
    expect(readCsv('\uFEFFa,b\r\n\r\n , \r\nc,d\r\n').rows).toEqual([
      { line: 1, values: ['a', 'b'] },
      { line: 4, values: ['c', 'd'] },
    ])
  })

  it('tells where a quotation mark is left open', () => {
    expect(readCsv('a,b\nc,"d\ne').openQuoteLine).toBe(2)
  })

  it('leaves a quotation mark inside a value alone', () => {
    expect(readCsv('5" disk,b').rows).toEqual([{ line: 1, values: ['5" disk', 'b'] }])
  })
})

describe('the file of a sheet', () => {
  const bytesOf = (text: string, encoding: 'utf8' | 'utf16le' | 'latin1') => Uint8Array.from(Buffer.from(text, encoding)).buffer

  it('is read in UTF-8, and in UTF-16 where it says so', () => {
    expect(textOf(bytesOf('Jürgen;ø', 'utf8'))).toBe('Jürgen;ø')
    expect(textOf(bytesOf('\uFEFFJürgen\tø', 'utf16le'))).toBe('Jürgen\tø')
  })

  it('is refused in an encoding that cannot be told, and where it is no text', () => {
    expect(textOf(bytesOf('Jürgen;ø', 'latin1'))).toBeUndefined()
    expect(textOf(bytesOf('PK\u0003\u0000\u0000', 'latin1'))).toBeUndefined()
  })
})

describe('reading a list of users', () => {
  it('takes the columns in their usual order without a header', () => {
    const [row] = readBulkUsers(`${good},Mira Ito,S-17,+49 30 1234,Reds`)
    expect(row?.faults).toEqual([])
    expect(row && toBulkUsers([row])).toEqual([
      {
        userName: 'mira',
        password: 'Secret1',
        email: 'mira@example.org',
        realName: 'Mira Ito',
        stdNumber: 'S-17',
        phone: '+49 30 1234',
        teamName: 'Reds',
      },
    ])
  })

  it('follows a header in any order and leaves unknown columns out', () => {
    const [row] = readBulkUsers('E-mail;Shoe size;User name;Password\nmira@example.org;38;mira;Secret1')
    expect(row?.line).toBe(2)
    expect(row && toBulkUsers([row])).toEqual([{ userName: 'mira', password: 'Secret1', email: 'mira@example.org' }])
  })

  it('names every fault of a row', () => {
    const [row] = readBulkUsers('mi,secret,mira@,,,call me,A team of 16 let')
    expect(row?.faults).toEqual(['userName', 'password', 'email', 'phone', 'teamName'])
  })

  it('takes passwords and refuses addresses as the server does', () => {
    const rows = readBulkUsers('mira,Äß1234,mira@b\nnoor,Ab٣٤٥٦,noor@b\nadam,Secret1,ad am@b')
    expect(rows.map(({ faults }) => faults)).toEqual([[], [], ['email']])
  })

  it('stops a row that would overwrite the account of whoever pastes it', () => {
    const own = { userName: 'Admin', email: 'admin@example.org' }
    const rows = readBulkUsers(`admin,Secret1,a@example.org\nbob,Secret1,ADMIN@example.org\n${good}`, own)
    expect(rows.map(({ faults }) => faults)).toEqual([['own'], ['own'], []])
  })

  it('accepts names of 3 and 15 characters and teams of 15', () => {
    const rows = readBulkUsers('abc,Secret1,a@b,,,,fifteen letters\nabcdefghijklmno,Secret1,c@d')
    expect(rows.map(({ faults }) => faults)).toEqual([[], []])
  })

  it('finds names and addresses that occur twice in any letter case', () => {
    const rows = readBulkUsers(`${good}\nMIRA,Secret1,other@example.org\nnoor,Secret1,Mira@Example.org`)
    expect(rows.map(({ faults }) => faults)).toEqual([['userNameTwice', 'emailTwice'], ['userNameTwice'], ['emailTwice']])
  })

  it('does not swallow values beyond the columns', () => {
    expect(readBulkUsers(`${good},Ito, Mira,S-17,123,Reds`)[0]?.faults).toContain('tooManyColumns')
  })

  it('makes the first of each team its captain', () => {
    const rows = readBulkUsers(
      'ada,Secret1,ada@b,,,,Reds\nbob,Secret1,bob@b,,,,Reds\ncyd,Secret1,cyd@b,,,,Blues\ndee,Secret1,dee@b',
    )
    expect(rows.map(({ isCaptain }) => isCaptain)).toEqual([true, false, true, false])
    expect(countTeams(rows)).toBe(2)
  })

  it('finds the row that a refusal of the server means', () => {
    const rows = readBulkUsers(`${good}\nnoor,Secret1,noor@example.org`)
    expect(rowOfPointer(rows, '/1/email')?.values.userName).toBe('noor')
    expect(rowOfPointer(rows, '/')).toBeUndefined()
  })
})

describe('a team name that is too long', () => {
  beforeAll(() => startI18n('en-US'))
  afterAll(() => applyLanguage('en-US'))

  it.each(languageCodes)('is answered with the bound of lists in %s', async (code) => {
    await loadAreas(['admin-users'])
    await applyLanguage(code)
    expect(i18n.getResource(code, 'admin-users', 'bulk.fault.teamName')).toContain(String(Limits.bulkTeamNameMaxLength))
  })
})
