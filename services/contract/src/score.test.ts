import { describe, expect, test } from 'vitest'
import { challengeValue, minimumValue, solvePoints } from './score.ts'

describe('the value of a challenge', () => {
  // Calculated by hand: 1000 * (0.25 + 0.75 * e^((1 - n) / 5)); e^-0.2 = 0.81873, e^-0.4 = 0.67032, e^-1 = 0.36788, e^-2 =
  // 0.13534
  test.each([
    [0, 1000],
    [1, 1000],
    [2, 864],
    [3, 752],
    [6, 525],
    [11, 351],
    [1000, 250],
  ])('with 1000 points, rate 0.25, difficulty 5 and %i solvers is %i', (solvers, value) => {
    expect(challengeValue({ originalScore: 1000, minScoreRate: 0.25, difficulty: 5 }, solvers)).toBe(value)
  })

  test.each([
    ['does not fall with rate 1', { originalScore: 777, minScoreRate: 1, difficulty: 5 }, 40, 777],
    ['falls to 0 with rate 0', { originalScore: 1000, minScoreRate: 0, difficulty: 5 }, 100, 0],
    [
      'of 500 points, rate 0.1 and difficulty 1 with 2 solvers is 215',
      { originalScore: 500, minScoreRate: 0.1, difficulty: 1 },
      2,
      215,
    ],
    ['falls at once with a tiny difficulty', { originalScore: 1000, minScoreRate: 0.5, difficulty: 0.001 }, 2, 500],
    ['is 0 if the challenge has no points', { originalScore: 0, minScoreRate: 0.25, difficulty: 5 }, 3, 0],
  ])('%s', (_, curve, solvers, value) => {
    expect(challengeValue(curve, solvers)).toBe(value)
  })
})

test.each([
  [1000, 0.25, 250],
  [999, 0.25, 249],
  [1000, 0, 0],
  [1000, 1, 1000],
])('has for %i points and rate %f the minimum %i', (originalScore, minScoreRate, minimum) => {
  expect(minimumValue({ originalScore, minScoreRate })).toBe(minimum)
})

describe('the points of a solve', () => {
  test.each([
    ['without bonus are the value', 864, 0, 864],
    ['with 5 % of 1000 are 1050', 1000, 50, 1050],
    ['round 907.2 down', 864, 50, 907],
    ['round 889.92 up', 864, 30, 890],
    ['round 872.64 up', 864, 10, 873],
    ['round the half 10.5 to the even 10', 10, 50, 10],
    ['round the half 31.5 to the even 32', 30, 50, 32],
    ['round the half 50.5 to the even 50', 50, 10, 50],
    ['round the half 51.5 to the even 52', 50, 30, 52],
    ['round the half 154.5 to the even 154', 150, 30, 154],
    ['double with the largest bonus', 321, 1000, 642],
    ['are exact for the largest value', 2147483647, 1000, 4294967294],
    ['are 0 for a value of 0', 0, 50, 0],
  ])('%s', (_, value, bonus, points) => {
    expect(solvePoints(value, bonus)).toBe(points)
  })
})
