import { describe, expect, test } from 'vitest'
import { createAnswerMatcher, groupFlagsByKind, listRightAnswers, matchesFlagRule } from './rules.ts'

describe('a flag that ignores case', () => {
  test.each([
    ['flag{Abc}', 'FLAG{aBC}', true],
    ['flag{é}', 'FLAG{É}', true],
    ['flag{abc}', 'flag{abd}', false],
    ['flag{a.c}', 'flag{abc}', false],
  ])('%s matches the answer %s: %s', (flag, answer, expected) => {
    expect(matchesFlagRule({ kind: 'Caseless', flag }, answer)).toBe(expected)
  })
})

describe('a flag that is a pattern', () => {
  test.each([
    ['matches the full answer', String.raw`flag\{[a-z]+\}`, 'flag{abc}', true],
    ['does not match a part of an answer', String.raw`flag\{[a-z]+\}`, 'my flag{abc}', false],
    ['does not match only the beginning of an answer', 'flag', 'flags', false],
    ['applies alternatives to the full answer', 'one|two', 'twofold', false],
    ['is case-sensitive', 'flag', 'FLAG', false],
    ['ignores the case if it begins with (?i)', '(?i)flag', 'FLAG', true],
    ['counts code points', '.{2}', '🏳🏴', true],
  ])('%s', (_, flag, answer, expected) => {
    expect(matchesFlagRule({ kind: 'Pattern', flag }, answer)).toBe(expected)
  })

  test('a pattern is compared in linear time, even if other engines would take exponential time', () => {
    expect(matchesFlagRule({ kind: 'Pattern', flag: '(a+)+b' }, 'a'.repeat(127))).toBe(false)
    expect(matchesFlagRule({ kind: 'Pattern', flag: '(a|aa|a?)+(.*a){20}b' }, 'a'.repeat(127))).toBe(false)
  })
})

test('a submitted answer counts as a right answer if it matches a pattern or a case-insensitive flag', () => {
  const right = groupFlagsByKind([
    { kind: 'Exact', flag: 'one' },
    { kind: 'Caseless', flag: 'two' },
    { kind: 'Pattern', flag: 't[a-h]ree' },
  ])
  expect(right.flags).toEqual(['one'])
  expect(listRightAnswers(right, 'one')).toEqual(['one'])
  expect(listRightAnswers(right, 'ONE')).toEqual(['one'])
  expect(listRightAnswers(right, 'TWO')).toEqual(['one', 'TWO'])
  expect(listRightAnswers(right, 'three')).toEqual(['one', 'three'])
  expect(listRightAnswers(right, 'THREE')).toEqual(['one'])
})

test('the matcher returns the matching answers of many submissions, and caches results while the flags are unchanged', async () => {
  const match = createAnswerMatcher()
  const right = groupFlagsByKind([
    { kind: 'Exact', flag: 'one' },
    { kind: 'Caseless', flag: 'two' },
  ])
  const handed = (...answers: string[]) => answers.map((answer, index) => ({ id: index + 1, answer }))
  expect(await match(right, handed('one', 'TWO', 'three', 'TWO'))).toEqual(['one', 'TWO'])
  expect(await match(right, handed('one', 'TWO', 'three', 'TWO', 'Two', 'four'))).toEqual(['one', 'TWO', 'Two'])
  expect(await match(right, [{ id: 7, answer: 'three' }])).toEqual(['one'])
  expect(await match(groupFlagsByKind([{ kind: 'Caseless', flag: 'THREE' }]), handed('one', 'TWO', 'three'))).toEqual(['three'])
  expect(await match(groupFlagsByKind([{ kind: 'Exact', flag: 'one' }]), handed('three'))).toEqual(['one'])
})

test('the matcher no longer returns an answer after the matching flag is removed', async () => {
  const match = createAnswerMatcher()
  const rules = [{ kind: 'Caseless', flag: 'two' }] as const
  const submissions = [{ id: 1, answer: 'one' }]
  expect(await match(groupFlagsByKind([{ kind: 'Exact', flag: 'one' }, ...rules]), submissions)).toEqual(['one'])
  expect(await match(groupFlagsByKind(rules), submissions)).toEqual([])
})
