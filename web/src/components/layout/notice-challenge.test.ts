import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { expect, it } from 'vitest'
import { findChallengeOfNotice } from './notice-challenge.ts'

function challenge(id: number, title: string) {
  return { id, title }
}
const board = {
  challenges: {
    Web: [challenge(3, 'Seal'), challenge(4, 'Twin')],
    Crypto: [challenge(5, 'Twin'), challenge(6, 'Winch')],
  },
} as unknown as PlayerBoard

it.each([
  ['NewHint', ['Seal'], 3],
  ['NewChallenge', ['Winch'], 6],
  ['FirstBlood', ['Winch', 'Seal'], 3],
  ['ThirdBlood', ['Crew', 'Winch'], 6],
  ['NewHint', ['Renamed'], undefined],
  ['NewHint', ['Twin'], undefined],
  ['Normal', ['Seal'], undefined],
] as const)('the notice %s with %j is about challenge %s', (type, values, id) => {
  expect(findChallengeOfNotice({ type, values: [...values] }, board)).toBe(id)
})

it('no challenge is found before the board is loaded', () => {
  expect(findChallengeOfNotice({ type: 'NewHint', values: ['Seal'] }, undefined)).toBeUndefined()
})
