import { languageCodes } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { i18n, loadTextsOfAreas, startI18n, switchLanguage } from '../../lib/i18n.ts'
import {
  bulkColumns,
  countTeams,
  findRowByJsonPointer,
  listSkippedColumns,
  parseUserList,
  toAddUsersRequest,
} from './bulk-users.ts'
import { decodeUnicodeText, detectSeparator, parseCsv } from './csv.ts'

const good = 'mira,Secret1,mira@example.org'

describe('parsing CSV', () => {
  it.each([
    ['a,b,c', ','],
    ['a;b;c,d', ';'],
    ['a\tb\tc', '\t'],
    ['"a;b;c",d', ','],
    ['alone', ','],
  ])('the parser finds the separator of %j', (text, separator) => {
    expect(detectSeparator(text)).toBe(separator)
  })

  it('the parser retains separators, quotes and line breaks inside quotes', () => {
    expect(parseCsv('"Lovelace, Ada","says ""hi""","two\nlines"\nb,c,d').rows).toEqual([
      { line: 1, values: ['Lovelace, Ada', 'says "hi"', 'two\nlines'] },
      { line: 3, values: ['b', 'c', 'd'] },
    ])
  })

  it('the parser skips blank lines but counts them, and drops the byte order mark and carriage returns', () => {
    expect(parseCsv('\uFEFFa,b\r\n\r\n , \r\nc,d\r\n').rows).toEqual([
      { line: 1, values: ['a', 'b'] },
      { line: 4, values: ['c', 'd'] },
    ])
  })

  it('the parser reports the line of a quote that is not closed', () => {
    expect(parseCsv('a,b\nc,"d\ne').openQuoteLine).toBe(2)
  })

  it('the parser does not change a quote in the middle of a value', () => {
    expect(parseCsv('5" disk,b').rows).toEqual([{ line: 1, values: ['5" disk', 'b'] }])
  })
})

describe('decoding the file of a user list', () => {
  const bytesOf = (text: string, encoding: 'utf8' | 'utf16le' | 'latin1') => Uint8Array.from(Buffer.from(text, encoding)).buffer

  it('the decoder reads UTF-8, and UTF-16 with a byte order mark', () => {
    expect(decodeUnicodeText(bytesOf('Jürgen;ø', 'utf8'))).toBe('Jürgen;ø')
    expect(decodeUnicodeText(bytesOf('\uFEFFJürgen\tø', 'utf16le'))).toBe('Jürgen\tø')
  })

  it('the decoder refuses an unknown encoding and binary data', () => {
    expect(decodeUnicodeText(bytesOf('Jürgen;ø', 'latin1'))).toBeUndefined()
    expect(decodeUnicodeText(bytesOf('PK\u0003\u0000\u0000', 'latin1'))).toBeUndefined()
  })
})

describe('parsing a list of users', () => {
  it('the parser reads columns in the default order if there is no header', () => {
    const [row] = parseUserList(`${good},Mira Ito,S-17,+49 30 1234,Reds`)
    expect(row?.faults).toEqual([])
    expect(row && toAddUsersRequest([row])).toEqual([
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

  it('the parser accepts header columns in any order, and skips unknown ones', () => {
    const [row] = parseUserList('E-mail;Shoe size;User name;Password\nmira@example.org;38;mira;Secret1')
    expect(row?.line).toBe(2)
    expect(row && toAddUsersRequest([row])).toEqual([{ userName: 'mira', password: 'Secret1', email: 'mira@example.org' }])
  })

  it('the parser reports every error of a row', () => {
    const [row] = parseUserList('mi,secret,mira@,,,call me,A team of 16 let')
    expect(row?.faults).toEqual(['userName', 'password', 'email', 'phone', 'teamName'])
  })

  it('the parser validates passwords and email addresses like the server', () => {
    const rows = parseUserList('mira,Äß1234,mira@b\nnoor,Ab٣٤٥٦,noor@b\nadam,Secret1,ad am@b')
    expect(rows.map(({ faults }) => faults)).toEqual([[], [], ['email']])
  })

  it("the parser refuses a row that would overwrite the current user's account", () => {
    const own = { userName: 'Admin', email: 'admin@example.org' }
    const rows = parseUserList(`admin,Secret1,a@example.org\nbob,Secret1,ADMIN@example.org\n${good}`, own)
    expect(rows.map(({ faults }) => faults)).toEqual([['own'], ['own'], []])
  })

  it('the parser accepts user names of 3 and 15 characters, and team names of 15', () => {
    const rows = parseUserList('abc,Secret1,a@b,,,,fifteen letters\nabcdefghijklmno,Secret1,c@d')
    expect(rows.map(({ faults }) => faults)).toEqual([[], []])
  })

  it('the parser finds duplicate names and email addresses regardless of case', () => {
    const rows = parseUserList(`${good}\nMIRA,Secret1,other@example.org\nnoor,Secret1,Mira@Example.org`)
    expect(rows.map(({ faults }) => faults)).toEqual([['userNameTwice', 'emailTwice'], ['userNameTwice'], ['emailTwice']])
  })

  it('the parser reports values that belong to no column', () => {
    expect(parseUserList(`${good},Ito, Mira,S-17,123,Reds`)[0]?.faults).toContain('tooManyColumns')
  })

  it('the first user of each team becomes its captain', () => {
    const rows = parseUserList(
      'ada,Secret1,ada@b,,,,Reds\nbob,Secret1,bob@b,,,,Reds\ncyd,Secret1,cyd@b,,,,Blues\ndee,Secret1,dee@b',
    )
    expect(rows.map(({ isCaptain }) => isCaptain)).toEqual([true, false, true, false])
    expect(countTeams(rows)).toBe(2)
  })

  it('the preview finds the row to which an error of the server points', () => {
    const rows = parseUserList(`${good}\nnoor,Secret1,noor@example.org`)
    expect(findRowByJsonPointer(rows, '/1/email')?.values.userName).toBe('noor')
    expect(findRowByJsonPointer(rows, '/')).toBeUndefined()
  })
})

describe('importing a list from another platform', () => {
  const head = '"id","oauth_id","name","password","email","type","hidden","banned","team_id"'
  const bcrypt = `$2b$12$${'a'.repeat(53)}`

  const rowOf = (password: string) => parseUserList(`userName,password,email\nmira,"${password}",mira@example.org`)[0]

  it.each([
    `$bcrypt-sha256$v=2,t=2b,r=12$${'b'.repeat(22)}$${'c'.repeat(31)}`,
    bcrypt,
    `$pbkdf2-sha256$29000$${'A1b'.repeat(7)}$${'B2c'.repeat(14)}`,
    `pbkdf2:sha256:600000$Salt1234$${'0f'.repeat(32)}`,
    `pbkdf2_sha256$870000$Salt1234$${'Ab1+'.repeat(11)}=`,
    `scrypt:32768:8:1$Salt1234$${'0a'.repeat(64)}`,
  ])('accepts the hash %s, which the platform can check', (hash) => {
    expect(rowOf(hash)?.faults).toEqual([])
  })

  it.each([
    `$argon2id$v=19$m=65536,t=3,p=4$${'Ab1'.repeat(7)}$${'Zy9'.repeat(14)}`,
    `$2b$20$${'a'.repeat(53)}`,
    `$6$rounds=5000$Salt$${'Ab1./'.repeat(17)}`,
    `$P$B${'Ab1'.repeat(10)}`,
    `{SSHA}${'Ab1+'.repeat(8)}`,
    'd41d8cd98f00b204e9800998ecf8427e',
  ])('refuses the hash %s, which the platform cannot check', (hash) => {
    expect(rowOf(hash)?.faults).toEqual(['passwordHash'])
  })

  it.each(['$ecret1$A', 'Pa$$w0rd$', '{Braces}1', 'correct Horse 7 battery', '$2b$12$short-A'])(
    'the import accepts the password %s, which is not a hash',
    (password) => {
      expect(parseUserList(`mira,"${password}",mira@example.org`)[0]?.faults).toEqual([])
    },
  )

  it('the import lists the columns that it skips', () => {
    expect(listSkippedColumns(`${head}\n"1","","mira","Secret1","mira@example.org","user","False","False","3"`)).toEqual([
      ...['id', 'oauth_id', 'type', 'hidden', 'banned', 'team_id'],
    ])
    expect(listSkippedColumns('mira,Secret1,mira@example.org')).toEqual([])
  })

  it('the import refuses the row of a banned user', () => {
    const line = (name: string, banned: string) =>
      `"1","","${name}","Secret1","${name}@example.org","user","False","${banned}",""`
    const rows = parseUserList([head, line('mira', 'True'), line('noor', 'False'), line('adam', '1'), line('ben', '')].join('\n'))
    expect(rows.map(({ faults }) => faults)).toEqual([['banned'], [], ['banned'], []])
  })

  it('the import skips the separator line of Excel, but counts it as a line', () => {
    const rows = parseUserList('\uFEFFsep=;\r\nuserName;password;email\r\n"mi;ra";Secret1;mira@example.org\r\n')
    expect(rows.map(({ line, values, faults }) => [line, values.userName, faults])).toEqual([[3, 'mi;ra', []]])
    expect(parseUserList('sep=|\nnoor|Secret1|noor@example.org')[0]?.faults).toEqual([])
  })

  it('the import reads "Name" as the user name, or as the real name if another column is the user name', () => {
    expect(parseUserList('Name;Passwort;E-Mail\nmira;Secret1;mira@b')[0]?.values.userName).toBe('mira')
    const [row] = parseUserList('Name;Benutzername;Passwort;E-Mail\nMira Ito;mira;Secret1;mira@b')
    expect([row?.values.userName, row?.values.realName]).toEqual(['mira', 'Mira Ito'])
  })

  it('the import treats team names that differ only in case as one team', () => {
    const rows = parseUserList('ada,Secret1,ada@b,,,,Reds\nbob,Secret1,bob@b,,,,REDS\ncyd,Secret1,cyd@b,,,,reds')
    expect(rows.map(({ isCaptain }) => isCaptain)).toEqual([true, false, false])
    expect(countTeams(rows)).toBe(1)
  })
})

describe('the column headings of the preview', () => {
  beforeAll(() => startI18n('en-US'))
  afterAll(() => switchLanguage('en-US'))

  it.each(languageCodes)('the parser recognizes the column headings of the preview in %s', async (code) => {
    await loadTextsOfAreas(['admin-users'])
    await switchLanguage(code)
    const heads = bulkColumns.map((column) => String(i18n.getResource(code, 'admin-users', `bulk.${column}`)))
    const text = `${heads.toReversed().join(';')}\nReds;123;S-1;Mira Ito;mira@example.org;Secret1;mira`
    expect(listSkippedColumns(text)).toEqual([])
    expect(parseUserList(text).map(({ values }) => values)).toEqual([
      {
        ...{ userName: 'mira', password: 'Secret1', email: 'mira@example.org', realName: 'Mira Ito' },
        ...{ stdNumber: 'S-1', phone: '123', teamName: 'Reds' },
      },
    ])
  })
})

describe('the message about a team name that is too long', () => {
  beforeAll(() => startI18n('en-US'))
  afterAll(() => switchLanguage('en-US'))

  it.each(languageCodes)('the message about a long team name contains the limit for lists in %s', async (code) => {
    await loadTextsOfAreas(['admin-users'])
    await switchLanguage(code)
    expect(i18n.getResource(code, 'admin-users', 'bulk.fault.teamName')).toContain(String(Limits.maxBulkTeamNameLength))
  })
})
