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

describe('the value of a challenge of CTFd', () => {
  const curve = { initial: 500, minimum: 100, decay: 50, isLinear: false }

  it.each([
    // Expected values are calculated by hand from the formulas in its documentation.
    [curve, 1, 500],
    [curve, 2, 500],
    [curve, 26, 400],
    [curve, 51, 100],
    [curve, 400, 100],
    [{ ...curve, isLinear: true, decay: 7 }, 1, 500],
    [{ ...curve, isLinear: true, decay: 7 }, 11, 430],
    [{ ...curve, isLinear: true, decay: 7 }, 90, 100],
    [{ ...curve, decay: 0 }, 2, 100],
  ])('of %o with %i solvers is %i', (each, solvers, value) => {
    expect(ctfdValue(each, solvers)).toBe(value)
  })

  it.each([curve, { ...curve, isLinear: true, decay: 4 }, { initial: 300, minimum: 100, decay: 12, isLinear: false }])(
    'becomes the nearest curve, and the report contains the difference to %o',
    (each) => {
      const { fields, findings } = aReport()
      const score = ctfdScore(fields, 'value', each)
      const difference = largest(score, 1_000, (solvers) => ctfdValue(each, solvers))
      expect(findings.map(({ why }) => why)).toEqual([
        `The points drop along another curve, which differs by up to ${difference} points.`,
      ])
      // Both ends are exactly equal.
      expect([ours(score, 1), ours(score, 100_000)]).toEqual([each.initial, each.minimum])
    },
  )

  it('is exact if it never falls', () => {
    const { fields, findings } = aReport()
    expect(ctfdScore(fields, 'value', { initial: 100, minimum: 100, decay: 10, isLinear: false })).toMatchObject({
      points: 100,
      minimumShare: 1,
    })
    expect(findings.map(({ why }) => why)).toEqual(['The points drop as before.'])
  })
})

describe('the value of a challenge of rCTF', () => {
  it.each([
    [100, 500, 100, 0, 500],
    [100, 500, 100, 100, 100],
    [100, 500, 0, 0, 500],
    [100, 500, 100, 50, 213],
  ])(
    'between %i and %i with at most %i solves per challenge, after %i solves, is %i',
    (minimum, maximum, most, solves, value) => {
      expect(rctfValue(minimum, maximum, most, solves)).toBe(value)
    },
  )

  it('becomes the nearest curve for an event of usual size, and the report contains the difference', () => {
    const { fields, findings } = aReport()
    const score = rctfScore(fields, 'value', 100, 500)
    const difference = largest(score, 100, (solvers) => rctfValue(100, 500, 100, solvers))
    expect(findings.map(({ why }) => why)).toEqual([
      expect.stringContaining(`differs by up to ${difference} points; with other numbers by at most 400.`),
    ])
    expect(difference).toBeLessThan(60)
  })

  it('is exact if both bounds are the same', () => {
    const { fields, findings } = aReport()
    expect(rctfScore(fields, 'value', 300, 300)).toEqual({ points: 300, minimumShare: 1 })
    expect(findings).toEqual([])
  })
})
