import { describe, expect, test } from 'vitest'
import { refuseFlagPattern } from './flag-pattern.ts'

describe('the pattern of a flag', () => {
  test.each([
    ['that looks ahead', '(?=a)b'],
    ['that looks back', '(?<=a)b'],
    ['that refers to a group', String.raw`(a)\1`],
    ['that is not closed', 'flag{(a'],
    ['that repeats repetitions thousands of times', '((((x{30}){30}){30}){30})'],
    ['that becomes too large when compiled', '((a?){10}){100}'],
    ['of 257 characters', 'a'.repeat(257)],
  ])('%s is refused with a reason', (_, pattern) => {
    expect(refuseFlagPattern(pattern)).toMatch(/\w{3}/)
  })

  test('a pattern of 256 characters is accepted', () => {
    expect(refuseFlagPattern('a'.repeat(256))).toBeUndefined()
  })
})
