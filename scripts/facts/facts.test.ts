import { describe, expect, test } from 'vitest'
import { findHardCodedLimits } from './bounds.ts'
import { collectContractWords, findRepeatedFacts } from './words.ts'

describe('the search for bounds', () => {
  const linesIn = (text: string) => findHardCodedLimits('example.tsx', text).map(({ line }) => line)

  test.each([
    ['Type.String({ maxLength: 500 })'],
    ['Type.String({ minLength: 1, maxLength: Limits.maxFlagLength })'],
    ['Type.Integer({ minimum: -1 })'],
    ['Type.Array(Name, { "maxItems": 20 })'],
    ["upload: x({ field: 'file', maxBytes: 3 * 1024 * 1024 })"],
    ['const View = () => <textarea maxLength={72} />'],
    ['const View = () => <NumberField min={32} />'],
    ['isIntegerTextBetween(text, 1, 65_535)'],
    ['const isShort = [...name].length <= 15'],
    ['const isLong = 3 > nameLength'],
    ['lengthOf(text) < 6'],
    ['const maxBioLength = 72'],
  ])('finds a bound in %s', (text) => {
    expect(linesIn(`\n${text}`)).toEqual([2])
  })

  test.each([
    ['Type.String({ ...notEmpty, maxLength: Limits.maxFlagLength })'],
    ['Type.Integer({ default: 5, minimum: InputLimits.minId })'],
    ['const View = () => <NumberField min={0} max={100} maxLength={Limits.maxBioLength} />'],
    ['isNumberTextBetween(text, 0, 100)'],
    ['rows.length > 50'],
    ['[...name].length > 0'],
    ['const limit = { count: 30 }'],
  ])('finds no bound in %s', (text) => {
    expect(linesIn(text)).toEqual([])
  })
})

describe('the search for repeated word lists', () => {
  const home = `export const fruits = ['apple', 'pear', 'plum'] as const
    export const Basket = stringEnum(['none', ...fruits])
    export const pair = ['left', 'right'] as const`
  const vocabulary = collectContractWords([{ file: 'home.ts', text: home }])
  const faultsIn = (text: string, file = 'example.ts') => findRepeatedFacts(file, text, vocabulary).map(({ fault }) => fault)

  test('reports nothing in the module that defines the list of words', () => {
    expect(faultsIn(home, 'home.ts')).toEqual([])
  })

  test.each([
    ["const all = ['apple', 'pear', 'plum']", 1],
    ["new Set(['plum', 'pear', 'apple'])", 1],
    ["type Fruit = 'pear' | 'plum' | 'apple'", 1],
    ["type Basket = 'apple' | 'pear' | 'plum' | 'none'", 2],
    ["sql`check (fruit in ('apple', 'pear', 'plum'))`", 1],
  ])('finds that %s repeats line %i of the defining module', (text, line) => {
    expect(faultsIn(text)).toEqual([expect.stringMatching(new RegExp(`defined in home.ts:${line}$`))])
  })

  test.each([
    ["const some = ['apple', 'pear']"],
    ["const more = ['apple', 'pear', 'plum', 'fig']"],
    ["const sides = ['left', 'right']"],
    ["const labels = { apple: 'a', pear: 'b', plum: 'c' }"],
    ["const isApple = fruit === 'apple'"],
  ])('finds no repetition in %s', (text) => {
    expect(faultsIn(text)).toEqual([])
  })

  test('`findRepeatedFacts` finds copies of the score formula and of file addresses', () => {
    expect(faultsIn('const value = s * Math.exp((1 - n) / d)')).toHaveLength(1)
    expect(faultsIn(`const url = \`/assets/\${hash}/poster\``)).toHaveLength(1)
    expect(faultsIn("const text = 'see /assets/x'; const sum = Math.max(1, 2)")).toEqual([])
  })
})
