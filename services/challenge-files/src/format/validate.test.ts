import { expect, test } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { readCapstanFile } from './read.ts'

const head = ['apiVersion: capstan/v1', 'kind: Challenge', 'name: a']
function faultsOf(lines: readonly string[]) {
  return readCapstanFile(createTextTree({ 'capstan.yaml': lines.join('\n') }), 'capstan.yaml').findings.map(
    ({ line, field, why }) => [line, field, why],
  )
}
function quote(kind: string, text: string) {
  return `This is ${kind}, but must be text. Quote it: "${text}".`
}
function number(text: string) {
  return quote('a number', text)
}

test('a number, boolean or null in place of a text is reported with its line', () => {
  const lines = [
    ...head,
    'title: 2026',
    'category: Web',
    'authors: [1337, true]',
    'tags: [0x10]',
    'description: 42',
    'flags:',
    '  - text: 0123',
    '  - text: 1e3',
    '  - text: true',
    '  - { pattern: 12, ignoreCase: true }',
    '  - text: ~',
    '  - text: fine',
    '    attachment: { url: 5 }',
    'hints: [{ text: 7 }]',
    'attachments: [{ make: [sh, 5], as: 6 }]',
    'container:',
    '  image: 1.20',
    '  ports: [{ port: 80 }]',
    '  environment: { LEVEL: 3, DEBUG: false, KEY: { secret: 4 } }',
    '  flag: { file: { path: /flag, mode: 0444 } }',
  ]
  expect(faultsOf(lines)).toEqual([
    [4, 'title', number('2026')],
    [6, 'authors[0]', number('1337')],
    [6, 'authors[1]', quote('a boolean', 'true')],
    [7, 'tags[0]', number('0x10')],
    [8, 'description', number('42')],
    [10, 'flags[0].text', number('0123')],
    [11, 'flags[1].text', number('1e3')],
    [12, 'flags[2].text', quote('a boolean', 'true')],
    [13, 'flags[3].pattern', number('12')],
    [14, 'flags[4].text', quote('empty or null', '~')],
    [16, 'flags[5].attachment.url', number('5')],
    [17, 'hints[0].text', number('7')],
    [18, 'attachments[0].make[1]', number('5')],
    [18, 'attachments[0].as', number('6')],
    [20, 'container.image', number('1.20')],
    [22, 'container.environment.LEVEL', number('3')],
    [22, 'container.environment.DEBUG', quote('a boolean', 'false')],
    [22, 'container.environment.KEY.secret', expect.stringMatching(/^It must match pattern/)],
    [23, 'container.flag.file.mode', number('0444')],
  ])
})

test('only one fault per field is reported if no branch of a union matches', () => {
  const lines = [
    ...head,
    ...['title: A', 'category: Web', 'description: { fil: a }', 'flags:'],
    ...['  - flag{bare}', '  - 99', '  - { txt: a }', '  - { text: a, file: b }', '  - { eachTeam: "a[HEX]", count: 3 }'],
    ...['attachments: [a.txt, { make: x, as: y }]'],
    ...['container: { image: a, ports: [{ port: 1 }], egress: 5 }'],
  ]
  const faults = faultsOf(lines)
  expect(faults.map(([line, field]) => [line, field])).toEqual([
    [6, 'description'],
    [6, 'description.fil'],
    [8, 'flags[0]'],
    [9, 'flags[1]'],
    [10, 'flags[2]'],
    [11, expect.stringMatching(/^flags\[3\]\.(?:text|file)$/)],
    [12, 'flags[4]'],
    [13, 'attachments[0]'],
    [13, 'attachments[1].make'],
    [14, 'container.egress'],
  ])
  expect(faults.find(([, field]) => field === 'flags[0]')?.[2]).toBe(
    'It must have one of the fields text, file, environment, eachTeam, template, pattern.',
  )
  expect(faults.find(([, field]) => field === 'flags[4]')?.[2]).toBe('Missing: make, as.')
})

test('a number in a text field of a game file is reported', () => {
  const lines = [
    'apiVersion: capstan/v1',
    'kind: Game',
    'name: a',
    'title: 1',
    'inviteCode: 0042',
    'divisions: [{ name: 7, inviteCode: 808080 }]',
  ]
  expect(faultsOf([...lines, 'writeups: { required: true, note: 9 }'])).toEqual([
    [4, 'title', number('1')],
    [5, 'inviteCode', number('0042')],
    [6, 'divisions[0].name', number('7')],
    [6, 'divisions[0].inviteCode', number('808080')],
    [7, 'writeups.note', number('9')],
  ])
})
