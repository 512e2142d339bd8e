import { describe, expect, test } from 'vitest'
import {
  countChangedAnswers,
  countChangedTeams,
  findChangedSolves,
  findSolvesWithSeveralFlags,
  type JudgedSubmission,
  rejudgeSubmissions,
} from './recalculation.ts'

const end = new Date('2030-01-01T12:00:00Z')
function at(minutes: number) {
  return new Date(end.getTime() + minutes * 60_000)
}

function aSubmission(values: Partial<JudgedSubmission>): JudgedSubmission {
  return {
    id: 1,
    participationId: 10,
    userId: null,
    answer: 'right',
    status: 'WrongAnswer',
    submittedAt: at(-10),
    isGranted: false,
    isVoid: false,
    flagId: null,
    ...values,
  }
}

const assigned = new Map<number, string | null>([
  [10, 'flag of 10'],
  [11, 'flag of 11'],
  [12, null],
])
function rightOf(type: 'StaticAttachment' | 'DynamicContainer') {
  return { type, flags: ['right', 'also right'], assigned }
}

describe('a rejudge', () => {
  test('accepts an answer that equals one of the flags of a static challenge', () => {
    const { changes } = rejudgeSubmissions(
      [
        aSubmission({ id: 1, answer: 'also right' }),
        aSubmission({ id: 2, answer: 'Right', status: 'Accepted' }),
        aSubmission({ id: 3, answer: 'flag of 10' }),
      ],
      rightOf('StaticAttachment'),
      { end },
    )
    expect([...changes]).toEqual([
      [1, { before: 'WrongAnswer', after: 'Accepted' }],
      [2, { before: 'Accepted', after: 'WrongAnswer' }],
    ])
  })

  test("accepts the team's flag of a dynamic challenge, and records no cheats", () => {
    const { changes } = rejudgeSubmissions(
      [
        aSubmission({ id: 1, participationId: 10, answer: 'flag of 10' }),
        aSubmission({ id: 2, participationId: 10, answer: 'flag of 11' }),
        aSubmission({ id: 3, participationId: 12, answer: 'right', status: 'Accepted' }),
      ],
      rightOf('DynamicContainer'),
      { end },
    )
    expect([...changes]).toEqual([
      [1, { before: 'WrongAnswer', after: 'Accepted' }],
      [3, { before: 'Accepted', after: 'WrongAnswer' }],
    ])
  })

  test('a rejudge retains the status CheatDetected even if the answer is now right', () => {
    const { changes, solves } = rejudgeSubmissions([aSubmission({ status: 'CheatDetected' })], rightOf('StaticAttachment'), {
      end,
    })
    expect([changes.size, solves]).toEqual([0, []])
  })

  test('a rejudge sets the status NotFound if the challenge is not assigned to the team', () => {
    const { changes } = rejudgeSubmissions([aSubmission({ participationId: 99 })], rightOf('StaticAttachment'), { end })
    expect([...changes]).toEqual([[1, { before: 'WrongAnswer', after: 'NotFound' }]])
  })

  test('the first right attempt of a team before the end of the game becomes its solve', () => {
    const { solves } = rejudgeSubmissions(
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

describe('the effect of a rejudge', () => {
  const aSolve = (participationId: number, submissionId: number, minutes = -10) => ({
    ...{ participationId, submissionId, userId: null, solvedAt: at(minutes) },
  })

  test('the effect of a rejudge lists only teams whose solve was added, removed or replaced, or has a new time', () => {
    const changes = findChangedSolves(
      [aSolve(1, 11), aSolve(2, 21), aSolve(3, 31), aSolve(4, 41)],
      [aSolve(2, 22), aSolve(3, 31, -5), aSolve(4, 41), aSolve(5, 51)],
    )
    expect(changes.map(({ participationId }) => participationId)).toEqual([1, 2, 3, 5])
    expect(countChangedTeams(changes, () => true)).toEqual({ gaining: 1, losing: 1, moving: 2 })
  })

  test('the effect of a rejudge counts only teams on the scoreboard', () => {
    const changes = findChangedSolves([aSolve(1, 11), aSolve(2, 21)], [aSolve(3, 31), aSolve(4, 41)])
    expect(countChangedTeams(changes, (participationId) => participationId % 2 === 0)).toEqual({
      gaining: 1,
      losing: 1,
      moving: 0,
    })
  })

  test('the effect of a rejudge counts answers that become right or wrong', () => {
    expect(
      countChangedAnswers([
        { before: 'WrongAnswer', after: 'Accepted' },
        { before: 'NotFound', after: 'Accepted' },
        { before: 'Accepted', after: 'WrongAnswer' },
        { before: 'NotFound', after: 'WrongAnswer' },
      ]),
    ).toEqual({ changed: 4, newlyCorrect: 2, newlyIncorrect: 1 })
  })
})

describe('a rejudge of a challenge with several flags', () => {
  const parts = new Map([
    ['right', 7],
    ['also right', 8],
  ])
  const partOf = (answer: string) => parts.get(answer)
  const right = { ...rightOf('StaticAttachment'), partOf }
  const submissions = [
    aSubmission({ id: 1, status: 'Accepted', flagId: 7, submittedAt: at(-9) }),
    aSubmission({ id: 2, status: 'Accepted', answer: 'also right', submittedAt: at(-8) }),
    aSubmission({ id: 3, status: 'Accepted', flagId: 7, submittedAt: at(-7) }),
    aSubmission({ id: 4, participationId: 11, status: 'Accepted', answer: '', isGranted: true, submittedAt: at(-6) }),
    aSubmission({ id: 5, participationId: 12, status: 'Accepted', flagId: 7, submittedAt: at(-5) }),
    aSubmission({ id: 6, participationId: 12, status: 'Accepted', flagId: 8, answer: 'also right', submittedAt: at(0) }),
  ]
  const { solves, findings, flagIds } = rejudgeSubmissions(submissions, right, { end })

  test('a rejudge returns the first right submission of each team for each flag', () => {
    expect(findings.map(({ participationId, flagId, submissionId }) => [participationId, flagId, submissionId])).toEqual([
      [10, 7, 1],
      [10, 8, 2],
      [12, 7, 5],
    ])
  })

  test('counts the challenge as solved when a team finds the last flag, or when an organizer grants the solve', () => {
    const all = findSolvesWithSeveralFlags(solves, findings, new Set([7, 8]))
    expect(all.map(({ participationId, submissionId }) => [participationId, submissionId])).toEqual([
      [11, 4],
      [10, 2],
    ])
  })

  test('returns the flags that submissions found, if these flags were not stored before', () => {
    expect([...flagIds]).toEqual([[2, 8]])
  })
})
