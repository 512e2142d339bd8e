import { describe, expect, test } from 'vitest'
import { type JudgedSubmission, recalculate } from './recalculation.ts'

const end = new Date('2030-01-01T12:00:00Z')
const at = (minutes: number) => new Date(end.getTime() + minutes * 60_000)

const aSubmission = (values: Partial<JudgedSubmission>): JudgedSubmission => ({
  id: 1,
  participationId: 10,
  userId: null,
  answer: 'right',
  status: 'WrongAnswer',
  submittedAt: at(-10),
  ...values,
})

const assigned = new Map<number, string | null>([
  [10, 'flag of 10'],
  [11, 'flag of 11'],
  [12, null],
])
const rightOf = (type: 'StaticAttachment' | 'DynamicContainer') => ({ type, flags: ['right', 'also right'], assigned })

describe('judging again', () => {
  test('takes any flag of a static challenge, exactly', () => {
    const { changes } = recalculate(
      [
        aSubmission({ id: 1, answer: 'also right' }),
        aSubmission({ id: 2, answer: 'Right', status: 'Accepted' }),
        aSubmission({ id: 3, answer: 'flag of 10' }),
      ],
      rightOf('StaticAttachment'),
      { end },
    )
    expect([...changes]).toEqual([
      [1, 'Accepted'],
      [2, 'WrongAnswer'],
    ])
  })

  test("takes the team's own flag of a dynamic challenge, and finds no cheats", () => {
    const { changes } = recalculate(
      [
        aSubmission({ id: 1, participationId: 10, answer: 'flag of 10' }),
        aSubmission({ id: 2, participationId: 10, answer: 'flag of 11' }),
        aSubmission({ id: 3, participationId: 12, answer: 'right', status: 'Accepted' }),
      ],
      rightOf('DynamicContainer'),
      { end },
    )
    expect([...changes]).toEqual([
      [1, 'Accepted'],
      [3, 'WrongAnswer'],
    ])
  })

  test('leaves CheatDetected alone, even if the answer is right now', () => {
    const { changes, solves } = recalculate([aSubmission({ status: 'CheatDetected' })], rightOf('StaticAttachment'), { end })
    expect([changes.size, solves]).toEqual([0, []])
  })

  test('finds nothing for a team without the challenge', () => {
    const { changes } = recalculate([aSubmission({ participationId: 99 })], rightOf('StaticAttachment'), { end })
    expect([...changes]).toEqual([[1, 'NotFound']])
  })

  test('counts the first right attempt before the end as the solve of a team', () => {
    const { solves } = recalculate(
      [
        aSubmission({ id: 1, answer: 'wrong', submittedAt: at(-9) }),
        aSubmission({ id: 2, submittedAt: at(-8), userId: 'somebody' }),
        aSubmission({ id: 3, submittedAt: at(-7) }),
        aSubmission({ id: 4, participationId: 11, submittedAt: at(0) }),
        aSubmission({ id: 5, participationId: 12, submittedAt: at(1) }),
      ],
      rightOf('StaticAttachment'),
      { end },
    )
    expect(solves).toEqual([{ participationId: 10, submissionId: 2, userId: 'somebody', solvedAt: at(-8) }])
  })
})
