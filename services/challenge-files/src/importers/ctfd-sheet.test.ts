import { expect, test } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'
import { chooseChallengePaths } from './place.ts'

const header = 'name,description,category,value,type,state,max_attempts,flags,tags,type_data,hints,files'

function read(rows: string, path = 'challenges.csv', others: Record<string, string> = {}) {
  return importTree(createTextTree({ [path]: rows, ...others }))
}

test('a sheet in the format of Juice Shop is imported', () => {
  const sheet = [
    'name,description,category,value,type,state,max_attempts,flags,tags,type_data,hints',
    'API-only XSS,"Perform a ""persisted"" attack, without the frontend. (Difficulty Level: 3)",XSS,450,standard,visible,0,a1b2c3,"Danger Zone,Good for Demos",,"[{""content"":""Look at the <code>API</code>, twice."",""cost"":0},{""content"":""https://example.org/hint"",""cost"":90}]"',
    'Score Board,"Find it.",Miscellaneous,100,standard,visible,0,"one,two",,,',
  ].join('\n')
  const [first, second] = read(sheet, 'juice/OWASP_Juice_Shop.2026-10-01.CTFd.csv')
  expect(first).toMatchObject({
    dialect: 'ctfd',
    challenge: {
      title: 'API-only XSS',
      category: 'Misc',
      enabled: true,
      description: 'Perform a "persisted" attack, without the frontend. (Difficulty Level: 3)',
      score: { points: 450, minimumShare: 1 },
      flags: [{ text: 'a1b2c3' }],
      hints: [{ text: 'Look at the <code>API</code>, twice.' }, { text: 'https://example.org/hint', price: 90 }],
    },
  })
  expect(first?.challenge?.tags).toEqual(expect.arrayContaining(['Danger Zone', 'Good for Demos', 'XSS']))
  expect(second).toMatchObject({ challenge: { title: 'Score Board', flags: [{ text: 'one' }, { text: 'two' }] }, findings: [] })
})

test('a sheet can contain dynamic points, types of flags, files and connection info', () => {
  const sheet = [
    `${header},connection_info,id,next_id,requirements`,
    'Falling,Text,Web,100,dynamic,hidden,0,"[{""type"":""regex"",""content"":""flag.+""},{""content"":""FLAG"",""data"":""case_insensitive""}]",,"{""initial"":400,""minimum"":100,""decay"":20}",,"dist/a.zip,https://example.org/b",nc example.org 1,3,4,"{""prerequisites"":[]}"',
  ].join('\r\n')
  const [only] = read(sheet, 'challenges.csv', { 'dist/a.zip': '' })
  expect(only?.challenge).toMatchObject({
    enabled: false,
    category: 'Web',
    description: 'Text\n\nnc example.org 1\n\n<https://example.org/b>',
    score: { points: 400 },
    flags: [{ pattern: 'flag.+' }, { text: 'FLAG', ignoreCase: true }],
    attachments: [{ file: 'dist/a.zip' }],
  })
  expect(only?.findings.map(({ field }) => field)).not.toContain('id')
})

test('dropped values of a sheet are reported with their line', () => {
  const sheet = [
    `${header},mystery`,
    '"Two',
    'lines",d,Web,1,standard,visible,0,f,,,,,',
    'Limited,d,Web,1,standard,visible,5,f,,,,,what',
    ',d,Web,1,standard,visible,0,f,,,,,',
    'Split,d,Web,1,standard,visible,0,"flag{a,b}",,,,,',
    'Odd,d,Web,1,dynamic,visible,0,f,,not json,,,,more',
  ].join('\n')
  const all = read(sheet)
  expect(all.map(({ challenge }) => challenge?.title)).toEqual(['Two\nlines', 'Limited', undefined, 'Split', 'Odd'])
  expect(all.map(({ challenge }) => challenge?.attempts)).toEqual([undefined, { limit: 5 }, undefined, undefined, undefined])
  const told = all.flatMap(({ findings }) => findings.map(({ line, field, outcome }) => [line, field, outcome]))
  expect(told).toEqual(
    expect.arrayContaining([
      [4, 'mystery', 'left-out'],
      [5, 'name', 'refused'],
      [6, 'flags', 'converted'],
      [7, 'type_data', 'left-out'],
      [7, '', 'left-out'],
    ]),
  )
})

test.each([
  ['semicolons and a byte order mark', `\uFEFF${header.replaceAll(',', ';')}\nA;d, e;Web;1;standard;visible;0;f;;;;`],
  ['tabs', `${header.replaceAll(',', '\t')}\nA\td, e\tWeb\t1\tstandard\tvisible\t0\tf\t\t\t\t`],
  ['a line that names the separator', `sep=;\r\n${header.replaceAll(',', ';')}\r\nA;d, e;Web;1;standard;visible;0;f;;;;\r\n`],
])('a sheet can be imported with %s', (_, sheet) => {
  expect(read(sheet)).toMatchObject([{ challenge: { title: 'A', description: 'd, e' }, findings: [] }])
})

test('sheets in other formats are ignored', () => {
  expect(read('name,score\nA,1\n')).toEqual([])
  expect(read('name,email,password\nA,a@example.org,x\n', 'users.csv')).toEqual([])
  expect(read('', 'empty.csv')).toEqual([])
})

test('each challenge in a sheet gets a folder, and attachment paths start at this folder', () => {
  const sheet = `${header}\nA,d,Web,1,standard,visible,0,f,,,,\nCon,d,Web,1,standard,visible,0,f,,,,x.txt\n`
  const placed = chooseChallengePaths(createTextTree({}), read(sheet, 'sheets/challenges.csv'))
  expect(placed.map(({ target }) => target)).toEqual(['sheets/a/capstan.yaml', 'sheets/con-1/capstan.yaml'])
  expect(placed[1]?.challenge.attachments).toEqual([{ file: '../x.txt' }])
})

test('prerequisites in a sheet refer to challenges by their ids', () => {
  const sheet = [
    `${header},id,requirements`,
    'First Step,Text,Web,100,standard,visible,0,f,,,,,3,',
    'Second,Text,Web,100,standard,visible,0,f,,,,,4,"{""prerequisites"":[3]}"',
    'Odd,Text,Web,100,standard,visible,0,f,,,,,5,"{""prerequisites"":[9],""anonymize"":true}"',
  ].join('\r\n')
  const [first, second, odd] = read(sheet, 'challenges.csv')
  expect(first?.challenge).not.toHaveProperty('unlock')
  expect(second?.challenge).toMatchObject({ unlock: { after: ['first-step'], locked: 'Hidden' } })
  expect(second?.findings.map(({ field }) => field)).not.toContain('requirements')
  expect(odd?.challenge).not.toHaveProperty('unlock')
  expect(odd?.findings.map(({ field, outcome }) => [field, outcome])).toContainEqual(['requirements', 'left-out'])
})
