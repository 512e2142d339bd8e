import { describe, expect, test } from 'vitest'
import { findSameSecret, isSameSecret } from './compare.ts'

describe('the comparison of secrets', () => {
  test.each([
    ['are equal if all characters are equal', 'flag{a}', 'flag{a}', true],
    ['differ if one letter has another case', 'flag{a}', 'flag{A}', false],
    ['differ if one begins with the other', 'flag{a}', 'flag{a}x', false],
    ['differ if only one ends with a blank', 'flag{a}', 'flag{a} ', false],
    ['differ if they look alike but have different code points', 'flag{\u00e9}', 'flag{e\u0301}', false],
    ['are equal if both are empty', '', '', true],
    ['may contain any character', 'flag{旗🏴}', 'flag{旗🏴}', true],
  ])('two secrets %s', (_, left, right, expected) => {
    expect(isSameSecret(left, right)).toBe(expected)
  })
})

describe('findSameSecret', () => {
  const candidates = ['a', 'b', 'b'].map((flag, index) => ({ flag, index }))

  test('returns the first candidate whose flag equals the answer', () => {
    expect(findSameSecret(candidates, ({ flag }) => flag, 'b')?.index).toBe(1)
  })

  test('returns undefined if no candidate is equal', () => {
    expect(findSameSecret(candidates, ({ flag }) => flag, 'c')).toBeUndefined()
  })

  test('compares every candidate, even after a match', () => {
    const seen: number[] = []
    const note = ({ flag, index }: (typeof candidates)[number]) => {
      seen.push(index)
      return flag
    }
    findSameSecret(candidates, note, 'a')
    expect(seen).toEqual([0, 1, 2])
  })
})
