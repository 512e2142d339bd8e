import { describe, expect, test } from 'vitest'
import { createPointsByPlace, decodeBloodBonus, encodeBloodBonus, solveRankOf } from './blood.ts'
import { Defaults } from './limits.ts'

const byDefault = { first: 50, second: 30, third: 10 }
/** Factors with which the first and the second bonus are encoded: 2 ** 20 and 2 ** 10. */
const [first, second] = [1048576, 1024]

describe('the bonus of a game', () => {
  test.each([
    ['52459530 is 5 %, 3 % and 1 %', 52459530, byDefault],
    ['0 means no bonus', 0, { first: 0, second: 0, third: 0 }],
    ['bits 20 to 29 are for the first', 7 * first, { first: 7, second: 0, third: 0 }],
    ['bits 10 to 19 are for the second', 7 * second, { first: 0, second: 7, third: 0 }],
    ['bits 0 to 9 are for the third', 7, { first: 0, second: 0, third: 7 }],
    ['1000 per mille is the maximum', 1000 * first + 1000 * second + 1000, { first: 1000, second: 1000, third: 1000 }],
    ['a first part of 1001 makes the default apply', 1001 * first, byDefault],
    ['a second part of 1001 makes the default apply', 1001 * second, byDefault],
    ['a third part of 1001 makes the default apply', 1001, byDefault],
    ['a negative number makes the default apply', -1, byDefault],
    ['higher bits do not count', 1073741824 + 7, { first: 0, second: 0, third: 7 }],
    ['bits beyond 32 do not count', 2 ** 40 + 7, { first: 0, second: 0, third: 7 }],
  ])('%s', (_, encoded, bonus) => {
    expect(decodeBloodBonus(encoded)).toEqual(bonus)
  })

  test('the default bonus is encoded as 50 * 2^20 + 30 * 2^10 + 10', () => {
    expect(encodeBloodBonus(byDefault)).toBe(52459530)
    expect(Defaults.bloodBonus).toBe(52459530)
  })

  test.each([-1, 1001, 0.5, Number.NaN])('a blood bonus of %d thousandths cannot be encoded', (part) => {
    expect(() => encodeBloodBonus({ ...byDefault, second: part })).toThrow(RangeError)
  })
})

test.each([
  [1, 'FirstBlood', 1050, 1100],
  [2, 'SecondBlood', 1030, 1007],
  [3, 'ThirdBlood', 1010, 1000],
  [4, 'Normal', 1000, 1000],
  [400, 'Normal', 1000, 1000],
  // Place 0 means that the challenge has no bloods.
  [0, 'Normal', 1000, 1000],
])(
  'a solve at place %i has the rank %s, and is worth %i points with the default bonus or %i with bonuses in points',
  (place, rank, byShare, byPoints) => {
    expect(solveRankOf(place)).toBe(rank)
    expect(createPointsByPlace({ bloodBonus: 52459530 })(1000, place)).toBe(byShare)
    const bloodPoints = { first: 100, second: 7, third: 0 }
    expect(createPointsByPlace({ bloodBonus: 52459530, bloodPoints })(1000, place)).toBe(byPoints)
  },
)
