import type { DeskMinute, GameDesk } from '@capstan/contract/desk'
import { describe, expect, it } from 'vitest'
import { concernsOf, hourOf, ratePerMinute, rightShare } from './desk-figures.ts'

const minute = (submissions: number, accepted = 0, starts = 0): DeskMinute => ({ submissions, accepted, starts })
const failure = { challengeId: 7, challenge: 'Heap', image: 'heap:1', count: 3, lastAt: '2030-01-01T10:00:00Z', reason: 'Gone.' }
const calm: GameDesk = {
  time: '2030-01-01T10:00:00Z',
  minutes: [],
  instances: { running: 0, starting: 0, failing: 0, tests: 0 },
  failures: [],
  review: { waiting: 0, since: null },
  cheats: { lastHour: 0, total: 4 },
  bloods: [],
  connections: { gateways: 1, players: 0, monitors: 1, proxied: 0 },
}

describe('the figures of the last hour', () => {
  it('take a rate over the last five minutes, up to now', () => {
    expect(ratePerMinute([100, 1, 2, 3, 4, 5])).toBe(3)
  })

  it('add up the hour and name its busiest minute', () => {
    const { total, most } = hourOf([minute(4), minute(9), minute(2)], 'submissions')
    expect([total, most]).toEqual([15, 9])
  })

  it('know no share of right answers where nobody answered', () => {
    expect(rightShare([minute(0)])).toBeUndefined()
    expect(rightShare([minute(6, 1), minute(2, 1)])).toBe(0.25)
  })
})

describe('what needs somebody', () => {
  it('is nothing in a calm game, whatever was long ago', () => {
    expect(concernsOf(calm)).toEqual([])
  })

  it('begins with what stops most people', () => {
    const concerns = concernsOf({
      ...calm,
      connections: { ...calm.connections, gateways: 0 },
      review: { waiting: 2, since: '2030-01-01T09:00:00Z' },
      cheats: { lastHour: 1, total: 5 },
      failures: [failure],
    })
    expect(concerns.map(({ kind }) => kind)).toEqual(['gateways', 'image', 'cheats', 'review'])
  })
})
