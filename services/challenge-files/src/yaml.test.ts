import { describe, expect, it } from 'vitest'
import { createTextTree } from './testing/text-tree.ts'
import { readYaml, UnreadableFile } from './yaml.ts'

function read(text: string, version: '1.1' | '1.2' = '1.1') {
  return readYaml(createTextTree({ 'a.yaml': text }), 'a.yaml', version)
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

/** Returns a list of aliases to `value`, one per line. */
function aliases(count: number, value: string): string {
  return `a: &a ${value}\nb:\n${'  - *a\n'.repeat(count)}`
}

describe.each(['1.1', '1.2'] as const)('aliases in YAML %s', (version) => {
  it.each([
    ['1,000 aliases', aliases(1_000, 'x'), 1_000],
    ['values of 4 MB', aliases(512, 'x'.repeat(8_191)), 512],
  ])('a file with %s is accepted', (_, text, count) => {
    const [source] = read(text, version)
    expect(source?.value).toHaveProperty('b.length', count)
  })

  it.each([
    ['it has 1,001 aliases', aliases(1_001, 'x'), 1_003, 'The file has more than 1000 aliases.'],
    [
      'its aliases repeat a long text',
      aliases(513, 'x'.repeat(8_191)),
      515,
      'The values of all aliases together are larger than 4 MB.',
    ],
    [
      'its aliases repeat a long list',
      aliases(900, `[${'1,'.repeat(100_000)}]`),
      23,
      'The values of all aliases together are larger than 4 MB.',
    ],
    [
      'each of its aliases repeats the previous ones',
      ['a0: &a0 [x]', ...Array.from({ length: 9 }, (__, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(10)}]`)].join('\n'),
      8,
      'The values of all aliases together are larger than 4 MB.',
    ],
    [
      'its documents together have 1,001 aliases',
      `${aliases(500, 'x')}---\n${aliases(501, 'x')}`,
      1_006,
      'The file has more than 1000 aliases.',
    ],
    ['a value contains itself', 'a: 1\nb: &b\n  - [*b]\n', 3, 'The value of the alias `b` contains itself.'],
  ])('a file is refused because %s', (_, text, line, message) => {
    expect(() => read(text, version)).toThrow(expect.objectContaining({ line, message }))
  })
})

it('a file is refused because merge keys would copy a large map many times', () => {
  const map = Array.from({ length: 40_000 }, (_, index) => `k${index}: `).join(',')
  expect(() => read(`a: &a {${map}}\nb:\n${'- <<: *a\n'.repeat(40_000)}`)).toThrow(UnreadableFile)
})
