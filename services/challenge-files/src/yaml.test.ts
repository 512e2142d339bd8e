import { expect, it } from 'vitest'
import { textTree } from './testing/text-tree.ts'
import { readYaml, UnreadableFile } from './yaml.ts'

function read(text: string, version: '1.1' | '1.2' = '1.1') {
  return readYaml(textTree({ 'a.yaml': text }), 'a.yaml', version)
}

it('reads quoted texts of other platforms whose next lines are not indented, like their tools', () => {
  const text = [
    "name: it's",
    '# not: "this',
    'notes: |',
    '  say: "never',
    'description: "One\\',
    ' line,<br>',
    '',
    'Host: \\"b\\"',
    'end"',
    'hints:',
    '  - "look',
    '  up"',
    "  - content: 'it''s",
    "down'",
    '    cost: 1',
  ].join('\n')
  const [source] = read(text)
  expect(source?.value).toEqual({
    name: "it's",
    notes: 'say: "never\n',
    description: 'Oneline,<br>\nHost: "b" end',
    hints: ['look up', { content: "it's down", cost: 1 }],
  })
  expect(source?.lineOf(['hints', 1, 'cost'])).toBe(15)
})

it.each([
  ['a text without an end', 'a: 1\nb: "x\ny\n'],
  ['a text that cannot be corrected', 'a: "x\ny" z\nb: 1\n'],
  ['more continuation lines than can be indented', `${' '.repeat(2_000)}a: "\n${'x\n'.repeat(2_000)}"\n`],
])('refuses %s', (_, text) => {
  expect(() => read(text)).toThrow(UnreadableFile)
})

it('refuses quoted texts without indented continuation lines in our own files', () => {
  expect(() => read('a: "x\ny"\n', '1.2')).toThrow(UnreadableFile)
})

it('refuses a duplicate key in our own files and reports its line', () => {
  const refusal = (text: string) => {
    try {
      return read(text, '1.2').length
    } catch (cause) {
      return cause instanceof UnreadableFile ? [cause.line, cause.message] : cause
    }
  }
  expect(refusal('a: 1\nb:\n  - c: 1\n    d: 2\n    "c": 3\n')).toEqual([5, 'Map keys must be unique'])
  expect(refusal('a: 1\na: 2\n')).toEqual([2, 'Map keys must be unique'])
  expect(refusal('1: 1\n"1": 2\n')).toBe(1)
})

it.each(['1.1', '1.2'] as const)('reads 140,000 keys of one map in YAML %s without comparing all pairs', (version) => {
  const text = Array.from({ length: 140_000 }, (_, index) => `k${index.toString(36)}:\n`).join('')
  const [source] = read(text, version)
  expect(Object.keys(source?.value as object)).toHaveLength(140_000)
})

it('finds the lines of fields, of the first of two duplicates, and of the parents of missing fields', () => {
  const [source] = read('a:\n  b: 1\n  c: [1,\n    2]\na: 2\n')
  expect([['a', 'b'], ['a', 'c', 1], ['a'], ['a', 'z'], ['z']].map((path) => source?.lineOf(path))).toEqual([2, 4, 1, 1, 1])
})
