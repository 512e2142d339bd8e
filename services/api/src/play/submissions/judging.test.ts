import { expect, test } from 'vitest'
import { type Attempt, judge, judgeInTurn } from './judging.ts'
import type { SolvesBefore } from './submission-repository.ts'

const start = new Date('2026-01-01T00:00:00Z')
function after(seconds: number) {
  return new Date(start.getTime() + seconds * 1000)
}

function attempt(participationId: number, seconds: number, challengeId = 1): Attempt {
  return {
    id: crypto.randomUUID(),
    player: {
      game: { id: 1, startsAt: start, endsAt: after(3600), practiceMode: false, writeupDeadline: after(3600) },
      participation: { id: participationId },
      team: { id: participationId, name: `Team ${participationId}` },
    },
    challenge: { id: challengeId, title: `Challenge ${challengeId}`, type: 'StaticAttachment' },
    flags: ['flag{right}'],
    assignment: { challengeId, participationId, flag: null, flagId: null },
    rivals: [],
    user: { id: `user ${participationId}`, userName: 'player' },
    answer: 'flag{right}',
    receivedAt: after(seconds),
  }
}

const nothing: SolvesBefore = { counted: 0, lastAt: null, solvers: [] }
function outcome(attempts: Attempt[], before = nothing) {
  return judgeInTurn(attempts, new Map(attempts.map(({ challenge }) => [challenge.id, before]))).map(({ verdict, record }) => [
    verdict.isSolve,
    record.notice?.type ?? null,
    (record.submittedAt.getTime() - start.getTime()) / 1000,
  ])
}

test('ranks simultaneous bloods by time of submission and stores them in that order', () => {
  expect(outcome([attempt(1, 14), attempt(2, 11), attempt(3, 13), attempt(4, 12)])).toEqual([
    [true, 'FirstBlood', 11],
    [true, 'SecondBlood', 12],
    [true, 'ThirdBlood', 13],
    [true, null, 14],
  ])
})

test('accepts a second right answer of a team without a second solve', () => {
  expect(outcome([attempt(1, 11), attempt(1, 10)])).toEqual([
    [true, 'FirstBlood', 10],
    [false, null, 11],
  ])
})

test('dates a right answer not before the solve of the team that was judged earlier', () => {
  expect(outcome([attempt(1, 10)], { counted: 1, lastAt: after(12), solvers: [1] })).toEqual([[false, null, 12]])
})

test('dates a wrong answer by the time of its arrival', () => {
  const { verdict, record } = judge({ ...attempt(1, 10), answer: 'guess' })
  expect([verdict.status, record.submittedAt]).toEqual(['WrongAnswer', after(10)])
})

test('does not count solves of other challenges', () => {
  expect(outcome([attempt(1, 10, 1), attempt(2, 11, 2)])).toEqual([
    [true, 'FirstBlood', 10],
    [true, 'FirstBlood', 11],
  ])
})

test('counts stored solves, and dates later solves not before them', () => {
  const before = { counted: 2, lastAt: after(20), solvers: [2] }
  expect(outcome([attempt(1, 10), attempt(2, 11), attempt(3, 12)], before)).toEqual([
    [true, 'ThirdBlood', 20],
    [false, null, 20],
    [true, null, 20],
  ])
})
