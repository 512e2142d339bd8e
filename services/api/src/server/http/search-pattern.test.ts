import { expect, test } from 'vitest'
import { splitSearchWords, toSqlContainsPattern } from './search-pattern.ts'

test.each([
  ['50%', '%50\\%%'],
  ['a_b', '%a\\_b%'],
  ['back\\slash', '%back\\\\slash%'],
  ['^.*$', '%^.*$%'],
])('searches for %j literally', (text, pattern) => {
  expect(toSqlContainsPattern(text)).toBe(pattern)
})

test.each([
  ['', []],
  [' \t ', []],
  ['  red\nheap ', ['red', 'heap']],
  ['1 2 3 4 5 6 7 8', ['1', '2', '3', '4', '5', '6', '7', '8']],
  ['1 2 3 4 5 6 7 8 9 10', ['1', '2', '3', '4', '5', '6', '7', '8 9 10']],
])('splits the search text %j into words and a remaining phrase', (hint, words) => {
  expect(splitSearchWords(hint)).toEqual(words)
})
