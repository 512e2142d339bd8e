import { challengeValue } from '@capstan/contract/score'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../report.ts'
import { Fields } from './fields.ts'
import { ctfdScore, ctfdValue, rctfScore, rctfValue, type ScoreRule } from './score-curve.ts'

function aReport() {
  const findings: Finding[] = []
  return { findings, fields: new Fields({ file: 'a', value: { value: 1 }, lineOf: () => 1 }, findings) }
}
function ours({ points, minimumShare = 1, difficulty = 1 }: ScoreRule, solvers: number) {
  return challengeValue({ originalScore: points, minScoreRate: minimumShare, difficulty }, solvers)
}
function largest(score: ScoreRule, solvers: number, theirs: (solvers: number) => number) {
  return Math.max(...Array.from({ length: solvers }, (_, index) => Math.abs(theirs(index + 1) - ours(score, index + 1))))
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
  ])('with %o and %i solvers are %i', (each, solvers, value) => {
    expect(ctfdValue(each, solvers)).toBe(value)
  })

  it.each([curve, { ...curve, isLinear: true, decay: 4 }, { initial: 300, minimum: 100, decay: 12, isLinear: false }])(
    'are replaced by the nearest curve, and the report contains the largest difference to %o',
    (each) => {
      const { fields, findings } = aReport()
      const score = ctfdScore(fields, 'value', each)
      const difference = largest(score, 1_000, (solvers) => ctfdValue(each, solvers))
      expect(findings.map(({ why }) => why)).toEqual([
        `The points drop along another curve, which differs by up to ${difference} points.`,
      ])
      // The curves are equal at both ends.
      expect([ours(score, 1), ours(score, 100_000)]).toEqual([each.initial, each.minimum])
    },
  )

  it('are imported exactly if they never fall', () => {
    const { fields, findings } = aReport()
    expect(ctfdScore(fields, 'value', { initial: 100, minimum: 100, decay: 10, isLinear: false })).toMatchObject({
      points: 100,
      minimumShare: 1,
    })
    expect(findings.map(({ why }) => why)).toEqual(['The points drop as before.'])
  })
})

describe('the points of a challenge of rCTF', () => {
  it.each([
    [100, 500, 100, 0, 500],
    [100, 500, 100, 100, 100],
    [100, 500, 0, 0, 500],
    [100, 500, 100, 50, 213],
  ])(
    'between %i and %i, with at most %i solves per challenge and after %i solves, are %i',
    (minimum, maximum, most, solves, value) => {
      expect(rctfValue(minimum, maximum, most, solves)).toBe(value)
    },
  )

  it('are replaced by the nearest curve for an event of usual size, and the report contains the largest difference', () => {
    const { fields, findings } = aReport()
    const score = rctfScore(fields, 'value', 100, 500)
    const difference = largest(score, 100, (solvers) => rctfValue(100, 500, 100, solvers))
    expect(findings.map(({ why }) => why)).toEqual([
      expect.stringContaining(`differs by up to ${difference} points; with other numbers by at most 400.`),
    ])
    expect(difference).toBeLessThan(60)
  })

  it('are imported exactly if both bounds are the same', () => {
    const { fields, findings } = aReport()
    expect(rctfScore(fields, 'value', 300, 300)).toEqual({ points: 300, minimumShare: 1 })
    expect(findings).toEqual([])
  })
})
