import type { GameEvent } from '@capstan/contract/games'
import { describe, expect, it } from 'vitest'
import { type eventKinds, factsOf, isOfKind, submissionKey } from './feed.ts'

const event = (type: GameEvent['type'], ...values: string[]): GameEvent => ({
  time: '2026-05-01T12:00:00.000Z',
  user: 'mira',
  team: 'Reds',
  type,
  values,
})

describe('what an event says', () => {
  it('is read from its values by the kind of event', () => {
    expect(factsOf(event('FlagSubmit', 'WrongAnswer', 'flag{no}', 'Winch Lock', '7'))).toEqual({
      kind: 'flag',
      result: 'WrongAnswer',
      flag: 'flag{no}',
      challenge: 'Winch Lock',
    })
    expect(factsOf(event('CheatDetected', 'Winch Lock', 'Reds', 'Blues'))).toEqual({
      kind: 'cheat',
      challenge: 'Winch Lock',
      owner: 'Blues',
    })
    expect(factsOf(event('ContainerStart', '7', 'Winch Lock'))).toEqual({ kind: 'start', challenge: 'Winch Lock' })
    expect(factsOf(event('ContainerDestroy', '7', 'Winch Lock'))).toEqual({ kind: 'destroy', challenge: 'Winch Lock' })
    expect(factsOf(event('Normal', 'first', 'the text'))).toEqual({ kind: 'text', text: 'the text' })
  })
})

describe('filtering events', () => {
  const types = ['Normal', 'ContainerStart', 'ContainerDestroy', 'FlagSubmit', 'CheatDetected'] as const
  const shown = (kind: (typeof eventKinds)[number], hideContainer = false) =>
    types.filter((type) => isOfKind(event(type), kind, hideContainer))

  it('goes by kind', () => {
    expect(shown('all')).toEqual([...types])
    expect(shown('flags')).toEqual(['FlagSubmit'])
    expect(shown('cheats')).toEqual(['CheatDetected'])
    expect(shown('instances')).toEqual(['ContainerStart', 'ContainerDestroy'])
    expect(shown('other')).toEqual(['Normal'])
  })

  it('leaves container events out on request', () => {
    expect(shown('all', true)).toEqual(['Normal', 'FlagSubmit', 'CheatDetected'])
  })
})

describe('telling submissions apart', () => {
  const submission = { answer: 'flag{a}', user: 'mira', team: 'Reds', challenge: 'Winch Lock', time: '2026-05-01T12:00:00.000Z' }
  it('takes a waiting and a judged copy for the same, however the time is written', () => {
    const waiting = submissionKey({ ...submission, status: 'FlagSubmitted' })
    expect(submissionKey({ ...submission, status: 'Accepted', time: '2026-05-01T12:00:00Z' })).toBe(waiting)
    expect(submissionKey({ ...submission, status: 'Accepted', answer: 'flag{b}' })).not.toBe(waiting)
  })
})
