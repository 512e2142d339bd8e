import { describe, expect, test } from 'vitest'
import { type CurveName, challengeValue, minimumValue, type ScoreCurve, solvePoints } from './score.ts'

const exponential = { curve: 'exponential' } as const

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
  ])('a challenge of 1000 points with rate 0.25, decay 5 and %i solvers has the value %i', (solvers, value) => {
    expect(challengeValue({ ...exponential, points: 1000, minimumShare: 0.25, decay: 5 }, solvers)).toBe(value)
  })

  test.each([
    ['does not fall with rate 1', { points: 777, minimumShare: 1, decay: 5 }, 40, 777],
    ['falls to 0 with rate 0', { points: 1000, minimumShare: 0, decay: 5 }, 100, 0],
    ['of 500 points, rate 0.1 and decay 1 with 2 solvers is 215', { points: 500, minimumShare: 0.1, decay: 1 }, 2, 215],
    ['falls at once with a tiny decay', { points: 1000, minimumShare: 0.5, decay: 0.001 }, 2, 500],
    ['is 0 if the challenge has no points', { points: 0, minimumShare: 0.25, decay: 5 }, 3, 0],
  ])('%s', (_, curve, solvers, value) => {
    expect(challengeValue({ ...exponential, ...curve }, solvers)).toBe(value)
  })
})

test.each([
  [1000, 0.25, 250],
  [999, 0.25, 249],
  [1000, 0, 0],
  [1000, 1, 1000],
])('a challenge of %i points with the minimum rate %f has the minimum %i', (points, minimumShare, minimum) => {
  expect(minimumValue({ points, minimumShare })).toBe(minimum)
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

/** Formulas from the documentation of CTFd and rCTF. Unlike our functions, they do not round the minimum. */
const documented: Readonly<Record<'linear' | 'parabola' | 'rctf', (given: Given) => number>> = {
  // CTFd: value = initial - (decay * solve_count), where solve_count excludes the first solve; not below the minimum.
  linear: ({ initial, minimum, decay, solves }) => {
    const solveCount = solves === 0 ? 0 : solves - 1
    const value = Math.ceil(initial - decay * solveCount)
    return value < minimum ? minimum : value
  },
  // CTFd: value = (((minimum - initial) / (decay ** 2)) * (solve_count ** 2)) + initial, rounded up; not below the minimum.
  parabola: ({ initial, minimum, decay, solves }) => {
    const solveCount = solves === 0 ? 0 : solves - 1
    const value = Math.ceil(((minimum - initial) / decay ** 2) * solveCount ** 2 + initial)
    return value < minimum ? minimum : value
  },
  // rCTF: rl and rh are the bounds, p0 = 0.7 and p1 = 0.96.
  rctf: ({ initial: rh, minimum: rl, most, solves }) => {
    const [c0, c1] = [-Math.atanh(0.7), Math.atanh(0.96)]
    const a = (x: number) => (1 - Math.tanh(x)) / 2
    const b = (x: number) => (a((c1 - c0) * x + c0) - a(c1)) / (a(c0) - a(c1))
    const s = Math.max(1, most)
    const f = (x: number) => rl + (rh - rl) * b(x / s)
    return Math.round(Math.max(f(solves), f(s)))
  },
}
type Given = Readonly<{ initial: number; minimum: number; decay: number; solves: number; most: number }>

/** Returns 340 combinations of curve parameters and numbers of solvers. With three formulas, they yield 1,020 values. */
function combinations(): Given[] {
  return [500, 1000].flatMap((initial) =>
    [50, 100].flatMap((minimum) =>
      [1, 3, 20, 50, 120].flatMap((decay) =>
        [0, 1, 2, 3, 4, 5, 8, 10, 17, 25, 33, 51, 64, 99, 121, 180, 300].map((solves) => ({
          ...{ initial, minimum, decay, solves },
          most: solves + 7 * decay,
        })),
      ),
    ),
  )
}

test.each(['linear', 'parabola', 'rctf'] as const)('the curve %s has the values of the documented formula', (curve) => {
  const given = combinations()
  expect(given).toHaveLength(340)
  const ours = given.map(({ initial, minimum, decay, solves, most }) =>
    challengeValue({ curve, points: initial, minimumShare: minimum / initial, decay } satisfies ScoreCurve, solves, most),
  )
  expect(ours).toEqual(given.map(documented[curve]))
})

test.each<[CurveName, solvers: number, most: number, value: number]>([
  // Curve with 500 points, a minimum of 100 points and a slope of 50.
  ['static', 400, 400, 500],
  ['linear', 1, 9, 500],
  ['linear', 8, 9, 150],
  ['linear', 9, 9, 100],
  ['linear', 10, 10, 100],
  // Value of the parabola: 500 - 400 x (25 / 50)^2.
  ['parabola', 26, 30, 400],
  ['parabola', 51, 51, 100],
  ['parabola', 52, 52, 100],
  ['rctf', 0, 100, 500],
  ['rctf', 50, 100, 213],
  ['rctf', 100, 100, 100],
  // If a game has only one solve, the solved challenge is also the most-solved challenge.
  ['rctf', 1, 1, 100],
])(
  'on the curve %s, a challenge with %i solvers, and %i at the most-solved challenge, is worth %i points',
  (curve, solvers, most, value) => {
    expect(challengeValue({ curve, points: 500, minimumShare: 0.2, decay: 50 }, solvers, most)).toBe(value)
  },
)
