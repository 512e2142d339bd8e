import type { GameEvent } from '@capstan/contract/games'
import { describe, expect, it } from 'vitest'
import { parseGameEventValues } from './feed.ts'

function event(type: GameEvent['type'], ...values: string[]): GameEvent {
  return {
    time: '2026-05-01T12:00:00.000Z',
    user: 'mira',
    team: 'Reds',
    type,
    values,
  }
}

describe('the details of an event', () => {
  it('the kind of an event determines how its values are parsed', () => {
    expect(parseGameEventValues(event('FlagSubmit', 'WrongAnswer', 'flag{no}', 'Winch Lock', '7'))).toEqual({
      kind: 'flag',
      result: 'WrongAnswer',
      flag: 'flag{no}',
      challenge: 'Winch Lock',
    })
    expect(parseGameEventValues(event('CheatDetected', 'Winch Lock', 'Reds', 'Blues'))).toEqual({
      kind: 'cheat',
      challenge: 'Winch Lock',
      owner: 'Blues',
    })
    expect(parseGameEventValues(event('ContainerStart', '7', 'Winch Lock'))).toEqual({ kind: 'start', challenge: 'Winch Lock' })
    expect(parseGameEventValues(event('ContainerDestroy', '7', 'Winch Lock'))).toEqual({
      kind: 'destroy',
      challenge: 'Winch Lock',
    })
    expect(parseGameEventValues(event('Normal', 'HintPurchase', '7', 'Winch Lock', '50', 'Bought hint 1'))).toEqual({
      kind: 'hint',
      challenge: 'Winch Lock',
      price: 50,
    })
    expect(parseGameEventValues(event('Normal', 'first', 'the text'))).toEqual({ kind: 'text', text: 'the text' })
  })
})
