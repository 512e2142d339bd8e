import { expect, it } from 'vitest'
import { textTree } from './testing/text-tree.ts'
import { readYaml, UnreadableFile } from './yaml.ts'

function read(text: string, version: '1.1' | '1.2' = '1.1') {
  return readYaml(textTree({ 'a.yaml': text }), 'a.yaml', version)
}

it('quoted texts with continuation lines that are not indented are accepted in files of other platforms', () => {
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
])('a file is refused because of %s', (_, text) => {
  expect(() => read(text)).toThrow(UnreadableFile)
})

it('quoted texts with continuation lines that are not indented are refused in capstan.yaml', () => {
  expect(() => read('a: "x\ny"\n', '1.2')).toThrow(UnreadableFile)
})

it('a duplicate key is refused in capstan.yaml, and its line is reported', () => {
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

it.each(['1.1', '1.2'] as const)('140,000 keys of one map in YAML %s are read without a comparison of all pairs', (version) => {
  const text = Array.from({ length: 140_000 }, (_, index) => `k${index.toString(36)}:\n`).join('')
  const [source] = read(text, version)
  expect(Object.keys(source?.value as object)).toHaveLength(140_000)
})

it('a duplicate field has the line of its first occurrence, and a missing field has the line of its parent', () => {
  const [source] = read('a:\n  b: 1\n  c: [1,\n    2]\na: 2\n')
  expect([['a', 'b'], ['a', 'c', 1], ['a'], ['a', 'z'], ['z']].map((path) => source?.lineOf(path))).toEqual([2, 4, 1, 1, 1])
})
