import { expect, it } from 'vitest'
import { floorOf, namedSolvers, solversToDraw, valueAt } from './score-curve.ts'

const curve = { originalScore: 1000, minScoreRate: 0.25, difficulty: 5 }

it.each([
  [0, 1000],
  [1, 1000],
  // 1000 × (0.25 + 0.75 × e^-0.2) = 864.04
  [2, 864],
  // 1000 × (0.25 + 0.75 × e^-1) = 525.9
  [6, 525],
])('with %i solvers a challenge is worth %i', (solvers, value) => {
  expect(valueAt(curve, solvers)).toBe(value)
})

it('never falls below its floor', () => {
  expect(floorOf(curve)).toBe(250)
  expect(valueAt(curve, 100_000)).toBe(250)
})

it('is drawn until the fall is nearly over, and past the solvers there are', () => {
  // 1 + 5 × ln 50 = 20.6
  expect(solversToDraw(curve, 0)).toBe(21)
  expect(solversToDraw(curve, 100)).toBe(115)
  expect(namedSolvers(21)).toEqual([1, 2, 5, 10, 20])
})
