import { describe, expect, test } from 'vitest'
import {
  canSubmissionScorePoints,
  gamePhaseOf,
  isChallengeClosed,
  isFrozen,
  type PhaseCall,
  phaseTable,
  refuseOutsidePhase,
  scoringEndOf,
} from './phases.ts'

const start = new Date('2026-05-01T10:00:00Z')
const end = new Date('2026-05-03T10:00:00Z')
const writeupDeadline = new Date('2026-05-05T10:00:00Z')
function at(time: string) {
  return new Date(`2026-05-${time}Z`)
}
const before = at('01T09:59:59.999')
const running = at('02T00:00')
const over = at('04T00:00')

function game(practiceMode: boolean) {
  return { start, end, practiceMode, writeupDeadline }
}

// Each row has a call and its problem codes in four phases. The last two phases are after the game, with and without practice mode.
type Cell = string | undefined
const rows: [PhaseCall, Cell?, Cell?, Cell?, Cell?][] = [
  ['gamePage'],
  ['join', undefined, undefined, undefined, 'game.ended'],
  ['leave'],
  ['scoreboard', 'game.before-start'],
  ['notices', 'game.before-start'],
  ['details', 'game.not-started', undefined, undefined, 'game.ended'],
  ['challenge', 'game.not-started', undefined, undefined, 'game.ended'],
  ['submit', 'game.not-started', undefined, undefined, 'game.ended'],
  ['container', 'game.not-started', undefined, undefined, 'game.ended'],
  ['certificate', 'game.not-started', 'game.not-over'],
  ['survey', 'game.not-started', 'game.not-over'],
  ['readWriteup', 'game.not-started'],
  ['uploadWriteup', 'game.not-started'],
  ['events', 'game.before-start'],
  ['submissions', 'game.before-start'],
  ['cheatInfo', 'game.before-start'],
  ['sheets', 'game.before-start'],
  ['participations'],
  ['captures'],
  ['edit'],
]

describe('the phase of the game decides whether a call is refused', () => {
  test.each(rows)(
    'the call %s is refused exactly in the expected phases',
    (call, beforeStart, whileRunning, overWithPractice, overWithoutPractice) => {
      for (const practice of [true, false]) {
        expect(refuseOutsidePhase(call, game(practice), before)).toBe(beforeStart)
        expect(refuseOutsidePhase(call, game(practice), running)).toBe(whileRunning)
      }
      expect(refuseOutsidePhase(call, game(true), over)).toBe(overWithPractice)
      expect(refuseOutsidePhase(call, game(false), over)).toBe(overWithoutPractice)
    },
  )

  test('the tests cover every call of the phase table', () => {
    expect(rows.map(([call]) => call)).toEqual(Object.keys(phaseTable))
  })
})

describe('a writeup', () => {
  test.each([
    ['can be uploaded up to the deadline', at('05T10:00'), undefined],
    ['cannot be uploaded after the deadline', at('05T10:00:00.001'), 'writeup.deadline'],
  ])('%s, both with and without practice mode', (_, now, expected) => {
    expect(refuseOutsidePhase('uploadWriteup', game(true), now)).toBe(expected)
    expect(refuseOutsidePhase('uploadWriteup', game(false), now)).toBe(expected)
  })

  test('a writeup cannot be uploaded after its deadline, even if the game is still running', () => {
    expect(refuseOutsidePhase('uploadWriteup', { ...game(true), writeupDeadline: start }, running)).toBe('writeup.deadline')
  })

  test('a writeup can be read long after its deadline', () => {
    expect(refuseOutsidePhase('readWriteup', game(false), at('30T00:00'))).toBeUndefined()
  })
})

describe('a game', () => {
  test.each([
    ['is not open just before its start', before, 'upcoming'],
    ['runs from the instant of its start', start, 'running'],
    ['runs up to the instant of its end', end, 'running'],
    ['is over right after its end', at('03T10:00:00.001'), 'ended'],
  ])('%s', (_, now, phase) => {
    expect(gamePhaseOf(game(true), now)).toBe(phase)
  })
})

test.each([
  ['before the end scores', at('03T09:59:59.999'), true],
  ['at the very end does not score', end, false],
  ['after the end does not score', over, false],
])('a submission made %s', (_, submittedAt, expected) => {
  expect(canSubmissionScorePoints(submittedAt, { end })).toBe(expected)
})

function hour(number: number, ms = 0) {
  return new Date(Date.UTC(2026, 0, 1, number) + ms)
}

test.each([
  [null, hour(20), hour(20)],
  [hour(15), hour(20), hour(15)],
  [hour(21), hour(20), hour(20)],
])('with the deadline %s of the challenge and the end %s of the game, submissions score until %s', (deadline, end, expected) => {
  expect(scoringEndOf({ end }, deadline)).toEqual(expected)
})

test.each([
  ['before the deadline', hour(15, -1), false],
  ['at the deadline', hour(15), true],
  ['at the end', hour(20), true],
  ['after the end', hour(20, 1), false],
])('a challenge %s is closed: %s %s', (_when, now, expected) => {
  expect(isChallengeClosed(hour(15), { start: hour(10), end: hour(20) }, now)).toBe(expected)
  expect(isChallengeClosed(null, { start: hour(10), end: hour(20) }, now)).toBe(false)
})

describe('a board', () => {
  const freeze = at('02T10:00')
  const revealed = at('04T10:00')
  test.each([
    ['is open just before the freeze', at('02T09:59:59.999'), false],
    ['is frozen at the freeze', freeze, true],
    ['is frozen just after the freeze', at('02T10:00:00.001'), true],
    ['is frozen just before the end of the game', at('03T09:59:59.999'), true],
    ['is frozen at the end of the game', end, true],
    ['is frozen just before the reveal', at('04T09:59:59.999'), true],
    ['is open at the reveal', revealed, false],
    ['is open just after the reveal', at('04T10:00:00.001'), false],
  ])('%s', (_, now, expected) => {
    expect(isFrozen(now, { freeze, revealed })).toBe(expected)
  })

  test('a board without a reveal remains frozen, and a board without a freeze is never frozen', () => {
    expect(isFrozen(at('30T10:00'), { freeze, revealed: null })).toBe(true)
    expect(isFrozen(at('30T10:00'), { freeze: null, revealed: null })).toBe(false)
  })
})
