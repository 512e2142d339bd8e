import { expect, it } from 'vitest'
import { namedSolvers, solversToDraw } from './score-curve.ts'

const curve = { originalScore: 1000, minScoreRate: 0.25, difficulty: 5 }

it('is drawn until 98 percent of the decrease, and beyond the current number of solvers', () => {
  // 1 + 5 × ln 50 = 20.6, so 21 solvers.
  expect(solversToDraw(curve, 0)).toBe(21)
  expect(solversToDraw(curve, 100)).toBe(115)
  expect(namedSolvers(21)).toEqual([1, 2, 5, 10, 20])
})
