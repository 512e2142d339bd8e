import { expect, test } from 'vitest'
import { keyOfAssignment } from '../../instances/team-flags/service.ts'
import type { Attempts } from '../../rules/flags/attempts.ts'
import { type Attempt, judgeAttempt, judgeAttemptsInOrder } from './judging.ts'
import type { SolvesBefore } from './submission-repository.ts'

const start = new Date('2026-01-01T00:00:00Z')
function after(seconds: number) {
  return new Date(start.getTime() + seconds * 1000)
}

function attempt(participationId: number, seconds: number, challengeId = 1): Attempt {
  return {
    id: crypto.randomUUID(),
    player: {
      game: {
        ...{ id: 1, startsAt: start, endsAt: after(3600), practiceMode: false, writeupDeadline: after(3600) },
        ...{ freezeAt: null, revealedAt: null },
      },
      participation: { id: participationId },
      team: { id: participationId, name: `Team ${participationId}` },
    },
    challenge: {
      id: challengeId,
      title: `Challenge ${challengeId}`,
      type: 'StaticAttachment',
      deadlineAt: null,
      submissionLimit: 0,
      cooldownSeconds: 0,
      hasBloods: true,
    },
    flags: ['flag{right}'],
    assignment: { challengeId, participationId, flag: null, flagId: null },
    rivals: [],
    user: { id: `user ${participationId}`, userName: 'player' },
    text: 'flag{right}',
    receivedAt: after(seconds),
  }
}

const nothing: SolvesBefore = { counted: 0, lastAt: null, solvers: [], parts: [], found: [] }
function outcome(attempts: Attempt[], before = nothing) {
  const solves = new Map(attempts.map(({ challenge }) => [challenge.id, before]))
  return judgeAttemptsInOrder(attempts, { rules: new Map(), solves, attempts: new Map() }).judged.map(({ verdict, row }) => [
    verdict.isSolve,
    row.notice?.type ?? null,
    (row.submittedAt.getTime() - start.getTime()) / 1000,
  ])
}

test('concurrent bloods are ordered by time of submission, and stored in this order', () => {
  expect(outcome([attempt(1, 14), attempt(2, 11), attempt(3, 13), attempt(4, 12)])).toEqual([
    [true, 'FirstBlood', 11],
    [true, 'SecondBlood', 12],
    [true, 'ThirdBlood', 13],
    [true, null, 14],
  ])
})

test('a second right answer of a team is accepted, but is not a second solve', () => {
  expect(outcome([attempt(1, 11), attempt(1, 10)])).toEqual([
    [true, 'FirstBlood', 10],
    [false, null, 11],
  ])
})

test('a right answer never gets an earlier time than a solve that was judged before it', () => {
  expect(outcome([attempt(1, 10)], { ...nothing, counted: 1, lastAt: after(12), solvers: [1] })).toEqual([[false, null, 12]])
})

test('a wrong answer gets the time of its arrival', () => {
  const { verdict, row } = judgeAttempt({ ...attempt(1, 10), text: 'guess' })
  expect([verdict.status, row.submittedAt]).toEqual(['WrongAnswer', after(10)])
})

test('solves of other challenges do not affect bloods', () => {
  expect(outcome([attempt(1, 10, 1), attempt(2, 11, 2)])).toEqual([
    [true, 'FirstBlood', 10],
    [true, 'FirstBlood', 11],
  ])
})

test('a new solve ranks after all stored solves of the challenge', () => {
  const before = { ...nothing, counted: 2, lastAt: after(20), solvers: [2] }
  expect(outcome([attempt(1, 10), attempt(2, 11), attempt(3, 12)], before)).toEqual([
    [true, 'ThirdBlood', 20],
    [false, null, 20],
    [true, null, 20],
  ])
})

test('during a freeze, a right answer has the time of its arrival, even if a later answer was judged before it', () => {
  const frozen = (participationId: number, seconds: number, flagId?: number): Attempt => {
    const each = attempt(participationId, seconds)
    return { ...each, flagId, player: { ...each.player, game: { ...each.player.game, freezeAt: after(15) } } }
  }
  const before = { ...nothing, counted: 1, lastAt: after(12), solvers: [9], parts: [7] }
  const found = [{ participationId: 1, flagId: 7, foundAt: after(20).getTime() }]
  expect(outcome([frozen(1, 16, 7), frozen(2, 17, 7)], { ...before, found })).toEqual([
    [true, 'SecondBlood', 20],
    [true, 'ThirdBlood', 17],
  ])
  expect(outcome([frozen(1, 10, 7), frozen(2, 16, 7)], before)).toEqual([
    [true, 'SecondBlood', 12],
    [true, 'ThirdBlood', 16],
  ])
})

/** Judges attempts of team 1 at a challenge with rules. @returns the verdicts or refusals, in the order of the given attempts */
function underRules(
  rules: { submissionLimit?: number; cooldownSeconds?: number },
  attempts: readonly Attempt[],
  stored: Attempts = { count: 0, lastWrongAt: null },
) {
  const { judged, refused } = judgeAttemptsInOrder(attempts, {
    rules: new Map([[1, { submissionLimit: 0, cooldownSeconds: 0, ...rules }]]),
    solves: new Map(),
    attempts: new Map([[keyOfAssignment({ challengeId: 1, participationId: 1 }), stored]]),
  })
  const verdicts = new Map(judged.map(({ attempt: each, verdict }) => [each, verdict.status]))
  return attempts.map((each) => verdicts.get(each) ?? refused.get(each))
}

function wrong(seconds: number): Attempt {
  return { ...attempt(1, seconds), text: `guess ${seconds}` }
}

test('attempts are judged by time of arrival up to the limit, and later attempts are refused', () => {
  const limit = { code: 'submission.limit' }
  expect(underRules({ submissionLimit: 2 }, [wrong(13), wrong(11), attempt(1, 12), wrong(14)])).toEqual([
    limit,
    'WrongAnswer',
    'Accepted',
    limit,
  ])
  expect(underRules({ submissionLimit: 2 }, [attempt(1, 20)], { count: 2, lastWrongAt: after(5) })).toEqual([limit])
  expect(underRules({ submissionLimit: 3 }, [attempt(1, 20)], { count: 2, lastWrongAt: after(5) })).toEqual(['Accepted'])
})

test('attempts after a wrong answer are refused until the cool-down ends', () => {
  const waits = (retryAfterSeconds: number) => ({ code: 'submission.cooldown', retryAfterSeconds })
  expect(underRules({ cooldownSeconds: 30 }, [wrong(10), attempt(1, 10), attempt(1, 39.999), attempt(1, 40)])).toEqual([
    'WrongAnswer',
    waits(30),
    waits(0.001),
    'Accepted',
  ])
  expect(underRules({ cooldownSeconds: 30 }, [attempt(1, 10), attempt(1, 11)])).toEqual(['Accepted', 'Accepted'])
})

test('attempts of each team are counted separately', () => {
  const rival = { ...attempt(2, 12), text: 'guess' }
  expect(underRules({ submissionLimit: 1 }, [wrong(11), rival, wrong(13)])).toEqual([
    'WrongAnswer',
    'WrongAnswer',
    { code: 'submission.limit' },
  ])
})

test('the limits for attempts apply only before the end of the game', () => {
  const stored = { count: 1, lastWrongAt: after(3599) }
  expect(underRules({ submissionLimit: 1, cooldownSeconds: 60 }, [wrong(3599.999), wrong(3600), wrong(3601)], stored)).toEqual([
    { code: 'submission.limit' },
    'WrongAnswer',
    'WrongAnswer',
  ])
})

test('a team solves a challenge with several flags when the team finds the last flag', () => {
  const find = (team: number, seconds: number, flagId: number) => ({ ...attempt(team, seconds), flagId })
  const before = { ...nothing, parts: [7, 8], found: [{ participationId: 2, flagId: 7, foundAt: after(20).getTime() }] }
  const { judged } = judgeAttemptsInOrder([find(1, 10, 7), find(1, 11, 7), find(2, 12, 8), find(1, 13, 8), find(1, 14, 99)], {
    rules: new Map(),
    solves: new Map([[1, before]]),
    attempts: new Map(),
  })
  expect(
    judged.map(({ row: { flagId, isFinding, isSolve, notice, submittedAt } }) => [
      ...[flagId, isFinding, isSolve, notice?.type ?? null],
      (submittedAt.getTime() - start.getTime()) / 1000,
    ]),
  ).toEqual([
    [7, true, false, null, 10],
    [7, false, false, null, 11],
    // Team 2 found a flag at second 20, so its solve cannot have an earlier time.
    [8, true, true, 'FirstBlood', 20],
    [8, true, true, 'SecondBlood', 20],
    [null, false, false, null, 20],
  ])
})
