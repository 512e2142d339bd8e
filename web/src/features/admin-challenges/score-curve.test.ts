import { expect, it } from 'vitest'
import { chartValueAt, countChartSolvers, listLabeledSolverCounts } from './score-curve.ts'

const curve = { curve: 'exponential', points: 1000, minimumShare: 0.25, decay: 5 } as const

it('the number of solvers in the chart depends on the curve and on the current number of solvers', () => {
  // The chart ends at 1 + 5 × ln 50 = 20.6 solvers, rounded up to 21.
  expect(countChartSolvers(curve, 0)).toBe(21)
  expect(countChartSolvers(curve, 100)).toBe(115)
  expect(listLabeledSolverCounts(21)).toEqual([1, 2, 5, 10, 20])
})

it.each([
  // The linear curve reaches the minimum of 250 points at solver 16. The chart ends at solver 17.
  ['linear', 50, 17],
  ['parabola', 30, 32],
  ['rctf', 50, 50],
  ['static', 50, 10],
] as const)('the chart of the curve %s with a decay of %i covers %i solvers', (name, decay, solvers) => {
  expect(countChartSolvers({ ...curve, curve: name, decay }, 0)).toBe(solvers)
})

it('the drawn curve of rCTF starts at the maximum and falls slowly', () => {
  // The chart assumes that the most-solved challenge has 50 solvers. A challenge with 50 solvers has the minimum value, and one
  // with no solvers the maximum.
  expect(chartValueAt({ ...curve, curve: 'rctf' }, 0)).toBe(1000)
  expect(chartValueAt({ ...curve, curve: 'rctf' }, 1)).toBeGreaterThan(900)
})
