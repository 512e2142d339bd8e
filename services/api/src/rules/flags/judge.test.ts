import type { ChallengeType } from '@capstan/contract/challenges'
import type { AnswerResult } from '@capstan/contract/submissions'
import { describe, expect, test } from 'vitest'
import { type JudgeFacts, judgeSubmission, statusShownToPlayer } from './judge.ts'

/** Returns the input for judging an answer to an unsolved dynamic container in a running game. The flag of the team is `mine`. */
function facts(changes: Partial<JudgeFacts> = {}): JudgeFacts {
  return {
    type: 'DynamicContainer',
    answer: 'mine',
    assignment: { flag: 'mine', isSolved: false },
    flags: [],
    rivals: [{ participationId: 42, flag: 'theirs' }],
    isScored: true,
    isRunning: true,
    hasBloods: true,
    solvesBefore: 0,
    part: undefined,
    ...changes,
  }
}

const accepted = { type: 'FlagSubmit', result: 'Accepted' }
const wrong = { type: 'FlagSubmit', result: 'WrongAnswer' }

describe('a submission', () => {
  test('if the challenge is not assigned, a submission is "not found" and logged, and causes no event', () => {
    expect(judgeSubmission(facts({ assignment: undefined }))).toEqual({
      status: 'NotFound',
      isSolve: false,
      isFinding: false,
      notice: undefined,
      events: [],
      cheatOwnerId: undefined,
      isLogged: true,
    })
  })

  test('the first right submission in time is a solve with an event and a blood', () => {
    expect(judgeSubmission(facts())).toEqual({
      status: 'Accepted',
      isSolve: true,
      isFinding: false,
      notice: 'FirstBlood',
      events: [accepted],
      cheatOwnerId: undefined,
      isLogged: false,
    })
  })

  test('a right submission causes an event but no solve if the challenge is already solved', () => {
    expect(judgeSubmission(facts({ assignment: { flag: 'mine', isSolved: true } }))).toMatchObject({
      status: 'Accepted',
      isSolve: false,
      notice: undefined,
      events: [accepted],
    })
  })

  test('a right submission after the end causes an event, but no solve or blood', () => {
    expect(judgeSubmission(facts({ isScored: false, isRunning: false }))).toMatchObject({
      status: 'Accepted',
      isSolve: false,
      notice: undefined,
      events: [accepted],
    })
  })

  test('a wrong submission causes an event', () => {
    expect(judgeSubmission(facts({ answer: 'guess' }))).toEqual({
      status: 'WrongAnswer',
      isSolve: false,
      isFinding: false,
      notice: undefined,
      events: [wrong],
      cheatOwnerId: undefined,
      isLogged: false,
    })
  })

  test('a flag of another team is logged as a cheat, with two events', () => {
    expect(judgeSubmission(facts({ answer: 'theirs' }))).toEqual({
      status: 'CheatDetected',
      isSolve: false,
      isFinding: false,
      notice: undefined,
      events: [wrong, { type: 'CheatDetected', ownerParticipationId: 42 }],
      cheatOwnerId: 42,
      isLogged: true,
    })
  })

  test('submitting the flag of another team is a cheat even after the end', () => {
    expect(judgeSubmission(facts({ answer: 'theirs', isScored: false, isRunning: false })).status).toBe('CheatDetected')
  })

  test('the flag of a team is right for this team, even if another team has the same flag', () => {
    expect(judgeSubmission(facts({ rivals: [{ participationId: 42, flag: 'mine' }] })).status).toBe('Accepted')
  })
})

describe('the right answer', () => {
  test.each<[string, ChallengeType, string | null, string[], string, string]>([
    ['is any flag of the challenge if the type is StaticAttachment', 'StaticAttachment', null, ['one', 'two'], 'two', 'Accepted'],
    ['is any flag of the challenge if the type is StaticContainer', 'StaticContainer', null, ['one', 'two'], 'one', 'Accepted'],
    ['is never the flag of an assignment if the challenge is static', 'StaticContainer', 'mine', ['one'], 'mine', 'WrongAnswer'],
    [
      'is the flag of the team if the type is DynamicAttachment',
      'DynamicAttachment',
      'mine',
      ['mine', 'other'],
      'mine',
      'Accepted',
    ],
    [
      'is not the flag of another team if the type is DynamicAttachment',
      'DynamicAttachment',
      'mine',
      ['mine', 'other'],
      'other',
      'WrongAnswer',
    ],
    ['is the flag of the team if the type is DynamicContainer', 'DynamicContainer', 'mine', [], 'mine', 'Accepted'],
    ['does not exist before a flag is assigned', 'DynamicContainer', null, [], 'mine', 'WrongAnswer'],
    ['is case-sensitive', 'StaticAttachment', null, ['Flag'], 'flag', 'WrongAnswer'],
    ['is exact', 'StaticAttachment', null, ['flag{a}'], 'flag{a', 'WrongAnswer'],
  ])('%s', (_, type, flag, flags, answer, status) => {
    expect(judgeSubmission(facts({ type, flags, answer, assignment: { flag, isSolved: false } })).status).toBe(status)
  })

  test('a wrong answer to a static challenge never counts as cheating', () => {
    expect(judgeSubmission(facts({ type: 'StaticContainer', answer: 'theirs', flags: ['one'] })).status).toBe('WrongAnswer')
  })

  test('the right answer to a DynamicAttachment challenge differs between teams, so the flag of another team is a cheat', () => {
    expect(judgeSubmission(facts({ type: 'DynamicAttachment', answer: 'theirs' })).status).toBe('CheatDetected')
  })
})

describe('the blood notice', () => {
  test.each([
    [0, 'FirstBlood'],
    [1, 'SecondBlood'],
    [2, 'ThirdBlood'],
    [3, undefined],
    [50, undefined],
  ])('after %i earlier solves, a new solve causes the notice %s', (solvesBefore, notice) => {
    expect(judgeSubmission(facts({ solvesBefore })).notice).toBe(notice)
  })

  test('if the game has ended before the judging, no notice is sent, but the solve counts', () => {
    expect(judgeSubmission(facts({ isRunning: false }))).toMatchObject({ isSolve: true, notice: undefined })
  })
})

test.each<[AnswerResult, AnswerResult]>([
  ['FlagSubmitted', 'FlagSubmitted'],
  ['Accepted', 'Accepted'],
  ['WrongAnswer', 'WrongAnswer'],
  ['CheatDetected', 'WrongAnswer'],
  ['NotFound', 'NotFound'],
  ['Expired', 'Expired'],
])('shows the stored status %s to players as %s', (stored, shown) => {
  expect(statusShownToPlayer(stored)).toBe(shown)
})

describe('one of several flags that a team must find', () => {
  test.each([
    ['is no solve while the team has not found another flag', { isKnown: false, isLast: false }, [false, true, undefined]],
    ['is the solve with the blood if it is the last', { isKnown: false, isLast: true }, [true, true, 'FirstBlood']],
    ['changes nothing if it was found before', { isKnown: true, isLast: false }, [false, false, undefined]],
    [
      'is the solve if the flag that the team had not found was deleted',
      { isKnown: true, isLast: true },
      [true, false, 'FirstBlood'],
    ],
  ] as const)('a right flag %s', (_, part, expected) => {
    const verdict = judgeSubmission(facts({ part }))
    expect(verdict.status).toBe('Accepted')
    expect([verdict.isSolve, verdict.isFinding, verdict.notice]).toEqual(expected)
  })

  test('a right flag is accepted after the end, but does not count as found', () => {
    const verdict = judgeSubmission(facts({ part: { isKnown: false, isLast: true }, isScored: false, isRunning: false }))
    expect([verdict.status, verdict.isSolve, verdict.isFinding]).toEqual(['Accepted', false, false])
  })
})
