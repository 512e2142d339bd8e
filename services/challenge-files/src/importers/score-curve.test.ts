import { challengeValue } from '@capstan/contract/score'
import { describe, expect, it } from 'vitest'
import { createCtfdScore, createRctfScore, type ScoreRule } from './score-curve.ts'

function valueAt(
  { points, minimumShare = 1, difficulty: decay = 1, curve = 'exponential' }: ScoreRule,
  solvers: number,
  most = solvers,
) {
  return challengeValue({ curve, points, minimumShare, decay }, solvers, most)
}

describe('the points of a challenge of CTFd', () => {
  const curve = { initial: 500, minimum: 100, decay: 50, isLinear: false }

  it.each([
    // The expected points are calculated by hand from the formulas in the documentation of CTFd.
    [curve, 1, 500],
    [curve, 2, 500],
    [curve, 26, 400],
    [curve, 51, 100],
    [curve, 400, 100],
    [{ ...curve, isLinear: true, decay: 7 }, 1, 500],
    [{ ...curve, isLinear: true, decay: 7 }, 11, 430],
    [{ ...curve, isLinear: true, decay: 7 }, 90, 100],
    [{ ...curve, decay: 0 }, 2, 100],
    [{ ...curve, decay: 1e12 }, 1000, 500],
    [{ ...curve, minimum: 500 }, 90, 500],
  ])('the curve %o of CTFd with %i solvers has the value %i', (given, solvers, value) => {
    expect(valueAt(createCtfdScore(given), solvers)).toBe(value)
  })
})

describe('the points of a challenge of rCTF', () => {
  it.each([
    [100, 500, 100, 0, 500],
    [100, 500, 100, 100, 100],
    [100, 500, 0, 0, 500],
    [100, 500, 100, 50, 213],
    [300, 300, 100, 50, 300],
  ])(
    'an rCTF challenge with minimum %i, maximum %i, %i solves of the most solved challenge and %i own solves has %i points',
    (minimum, maximum, most, solves, value) => {
      expect(valueAt(createRctfScore(minimum, maximum), solves, most)).toBe(value)
    },
  )
})
