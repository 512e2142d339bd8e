import { describe, expect, test } from 'vitest'
import { applyLeet, type LeetTable, leetEntropyBits, plainLeet, wideLeet } from './leet.ts'

/** Returns all characters that can replace a character in leet, sorted. */
function choicesOf(character: string, table: LeetTable): string[] {
  const choices: string[] = []
  for (let size = 1, choice = 0; choice < size; choice++) {
    const pick = (max: number) => {
      size = max
      return choice
    }
    choices.push(applyLeet(`{${character}}`, table, { int: pick }).slice(1, -1))
  }
  return choices.sort()
}

// Table of docs/contract/challenges.md#leet: each character with its replacements for `[LEET]` and for `[CLEET]`.
const rows: [string, string, string][] = [
  ['A', 'A a 4', 'A a 4 @'],
  ['B', 'B b 6 8', 'B b 6 &'],
  ['C', 'C c', 'C c ('],
  ['D', 'D d', 'D d'],
  ['E', 'E e 3', 'E e 3'],
  ['F', 'F f 1', 'F f 1'],
  ['G', 'G g 6 9', 'G g 6 9'],
  ['H', 'H h', 'H h'],
  ['I', 'I i 1 l', 'I i 1 l !'],
  ['J', 'J j', 'J j'],
  ['K', 'K k', 'K k'],
  ['L', 'L l 1 I', 'L l 1 I !'],
  ['M', 'M m', 'M m'],
  ['N', 'N n', 'N n'],
  ['O', 'O o 0', 'O o 0 #'],
  ['P', 'P p', 'P p'],
  ['Q', 'Q q 9', 'Q q 9'],
  ['R', 'R r', 'R r'],
  ['S', 'S s 5', 'S s 5 $'],
  ['T', 'T t 7', 'T t 7'],
  ['U', 'U u', 'U u'],
  ['V', 'V v', 'V v'],
  ['W', 'W w', 'W w'],
  ['X', 'X x', 'X x'],
  ['Y', 'Y y', 'Y y'],
  ['Z', 'Z z 2', 'Z z 2 ?'],
  ['0', '0 o O', '0 o O #'],
  ['1', '1 l I', '1 l I |'],
  ['2', '2 z Z', '2 z Z ?'],
  ['3', '3 e E', '3 e E'],
  ['4', '4 a A', '4 a A'],
  ['5', '5 S s', '5 S s'],
  ['6', '6 G b', '6 G b'],
  ['7', '7 T', '7 T'],
  ['8', '8 b B', '8 & B'],
  ['9', '9 g', '9 g'],
]

describe('the replacements in the leet tables', () => {
  test.each(rows)('the leet tables contain only the documented replacements for %s', (character, plain, wide) => {
    expect(choicesOf(character, plainLeet)).toEqual(plain.split(' ').sort())
    expect(choicesOf(character, wideLeet)).toEqual(wide.split(' ').sort())
    expect(choicesOf(character.toLowerCase(), plainLeet)).toEqual(plain.split(' ').sort())
  })

  test('the leet tables contain exactly the documented characters', () => {
    const characters = rows.map(([character]) => character).sort()
    expect(Object.keys(plainLeet).sort()).toEqual(characters)
    expect(Object.keys(wideLeet).sort()).toEqual(characters)
  })
})

describe('the function applyLeet', () => {
  test.each([
    ['does not change text outside the braces', 'abc{abc}abc', 'abc{48c}abc'],
    ['does not change characters that have no row', 'f{_-!ä旗}', 'f{_-!ä旗}'],
    ['turns spaces inside the braces into underscores', 'a b{a b}', 'a b{4_8}'],
    ['does not change a marker', 'f{[TEAM_HASH]a}', 'f{[TEAM_HASH]4}'],
    ['does not change text and spaces in square brackets', 'f{a[a b]a}', 'f{4[a b]4}'],
    ['ignores braces inside square brackets', 'f{a[}]a}a', 'f{4[}]4}a'],
    ['replaces characters after a bracket that is never closed', 'f{[ab}', 'f{[48}'],
    ['replaces characters in inner braces', 'f{a{a}a}a', 'f{4{4}4}a'],
    ['replaces characters in several pairs of braces', '{a}a{a}', '{4}a{4}'],
    ['ignores a closing brace that was not opened', '}a{a}', '}a{4}'],
    ['changes nothing if there are no braces', 'abc', 'abc'],
  ])('%s', (_, text, expected) => {
    expect(applyLeet(text, plainLeet, { int: (max) => max - 1 })).toBe(expected)
  })
})

describe('the entropy of a template', () => {
  test.each([
    ['is 0 if there are no braces', 'aaaa', 0],
    ['is 0 for characters that have no replacements', 'f{__}', 0],
    ['is 2 bits for a character with four variants', 'f{b}', 2],
    ['is 1 bit for a character with two variants', 'f{c}', 1],
    ['adds up over the characters', 'f{bbcc}', 6],
    ['does not count markers', 'f{[cccc]c}', 1],
    ['does not count spaces', 'f{c c}', 2],
  ])('%s', (_, text, bits) => {
    expect(leetEntropyBits(text, plainLeet)).toBe(bits)
  })

  test('a character with three variants has an entropy of log2(3) bits', () => {
    expect(leetEntropyBits('f{a}', plainLeet)).toBeCloseTo(1.584962500721156, 12)
  })

  test('the wide table gives more entropy than the plain table: 2 bits for A and log2(5) bits for I', () => {
    expect(leetEntropyBits('f{a}', wideLeet)).toBe(2)
    expect(leetEntropyBits('f{i}', wideLeet)).toBeCloseTo(2.321928094887362, 12)
  })
})
