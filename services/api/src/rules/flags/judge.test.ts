import type { ChallengeType } from '@capstan/contract/challenges'
import type { AnswerResult } from '@capstan/contract/submissions'
import { describe, expect, test } from 'vitest'
import { type JudgeFacts, judgeSubmission, playerStatusOf } from './judge.ts'

/** Facts of a team with the flag `mine` of a dynamic container before any solve, in a running game. */
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
    ...changes,
  }
}

const accepted = { type: 'FlagSubmit', result: 'Accepted' }
const wrong = { type: 'FlagSubmit', result: 'WrongAnswer' }

describe('a submission', () => {
  test('without an assignment of the challenge is not found, logged, and no event', () => {
    expect(judgeSubmission(facts({ assignment: undefined }))).toEqual({
      status: 'NotFound',
      playerStatus: 'NotFound',
      isSolve: false,
      notice: undefined,
      events: [],
      cheatOwnerId: undefined,
      isLogged: true,
    })
  })

  test('that is right for the first time and in time is a solve with an event and a blood', () => {
    expect(judgeSubmission(facts())).toEqual({
      status: 'Accepted',
      playerStatus: 'Accepted',
      isSolve: true,
      notice: 'FirstBlood',
      events: [accepted],
      cheatOwnerId: undefined,
      isLogged: false,
    })
  })

  test('that is right again is an event without a solve', () => {
    expect(judgeSubmission(facts({ assignment: { flag: 'mine', isSolved: true } }))).toMatchObject({
      status: 'Accepted',
      playerStatus: 'Accepted',
      isSolve: false,
      notice: undefined,
      events: [accepted],
    })
  })

  test('that is right after the end is an event without a solve or blood', () => {
    expect(judgeSubmission(facts({ isScored: false, isRunning: false }))).toMatchObject({
      status: 'Accepted',
      playerStatus: 'Accepted',
      isSolve: false,
      notice: undefined,
      events: [accepted],
    })
  })

  test('that is wrong is an event', () => {
    expect(judgeSubmission(facts({ answer: 'guess' }))).toEqual({
      status: 'WrongAnswer',
      playerStatus: 'WrongAnswer',
      isSolve: false,
      notice: undefined,
      events: [wrong],
      cheatOwnerId: undefined,
      isLogged: false,
    })
  })

  test('with the flag of another team is a cheat that the player sees as a wrong answer', () => {
    expect(judgeSubmission(facts({ answer: 'theirs' }))).toEqual({
      status: 'CheatDetected',
      playerStatus: 'WrongAnswer',
      isSolve: false,
      notice: undefined,
      events: [wrong, { type: 'CheatDetected', ownerParticipationId: 42 }],
      cheatOwnerId: 42,
      isLogged: true,
    })
  })

  test('with the flag of another team is a cheat after the end, too', () => {
    expect(judgeSubmission(facts({ answer: 'theirs', isScored: false, isRunning: false })).status).toBe('CheatDetected')
  })

  test('that is right for this team is no cheat, even if another team has the same flag', () => {
    expect(judgeSubmission(facts({ rivals: [{ participationId: 42, flag: 'mine' }] })).status).toBe('Accepted')
  })
})

describe('the right answer', () => {
  test.each<[string, ChallengeType, string | null, string[], string, string]>([
    ['of StaticAttachment is any of its flags', 'StaticAttachment', null, ['one', 'two'], 'two', 'Accepted'],
    ['of StaticContainer is any of its flags', 'StaticContainer', null, ['one', 'two'], 'one', 'Accepted'],
    ['of a static challenge is no assigned flag', 'StaticContainer', 'mine', ['one'], 'mine', 'WrongAnswer'],
    ['of DynamicAttachment is the flag of the team', 'DynamicAttachment', 'mine', ['mine', 'other'], 'mine', 'Accepted'],
    ['of DynamicAttachment is no flag of another team', 'DynamicAttachment', 'mine', ['mine', 'other'], 'other', 'WrongAnswer'],
    ['of DynamicContainer is the flag of the team', 'DynamicContainer', 'mine', [], 'mine', 'Accepted'],
    ['does not exist before a flag is assigned', 'DynamicContainer', null, [], 'mine', 'WrongAnswer'],
    ['is case-sensitive', 'StaticAttachment', null, ['Flag'], 'flag', 'WrongAnswer'],
    ['is exact', 'StaticAttachment', null, ['flag{a}'], 'flag{a', 'WrongAnswer'],
  ])('%s', (_, type, flag, flags, answer, status) => {
    expect(judgeSubmission(facts({ type, flags, answer, assignment: { flag, isSolved: false } })).status).toBe(status)
  })

  test('static challenges never detect cheats', () => {
    expect(judgeSubmission(facts({ type: 'StaticContainer', answer: 'theirs', flags: ['one'] })).status).toBe('WrongAnswer')
  })

  test('dynamic attachments detect cheats', () => {
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
  ])('after %i solves is %s', (solvesBefore, notice) => {
    expect(judgeSubmission(facts({ solvesBefore })).notice).toBe(notice)
  })

  test('is not sent if the game has ended by the time of judging, but the solve counts', () => {
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
])('the stored status %s is shown to players as %s', (stored, shown) => {
  expect(playerStatusOf(stored)).toBe(shown)
})
