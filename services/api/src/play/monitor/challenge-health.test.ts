import { expect, test } from 'vitest'
import { summarizeHealthByChallenge } from './challenge-health.ts'
import type { LiveRow } from './desk-repository.ts'

function at(minute: number) {
  return new Date(Date.UTC(2030, 0, 1, 0, minute))
}
function aRow(id: string, challengeId: number, values: Partial<LiveRow> = {}): LiveRow {
  return {
    ...{ id, challengeId, participationId: 1, status: 'Running', challenge: 'Winch Lock', image: 'winch:1' },
    ...values,
  }
}
function aFailure(challengeId: number, count: number, minute: number, reason: string) {
  return {
    ...{ challengeId, count, reason, reasonCode: 'Crashed', lastAt: at(minute) },
    ...{ challenge: 'Winch Lock', image: `winch:${minute}` },
  }
}

test('counts live instances by observed state, or by the status of their row if no state was observed', () => {
  const health = summarizeHealthByChallenge({
    live: [
      aRow('a', 7),
      aRow('b', 7, { status: 'Pending' }),
      aRow('c', 7),
      aRow('d', 7, { status: 'Pending' }),
      aRow('test', 7, { participationId: null }),
      aRow('e', 8),
    ],
    stateOf: (id) => {
      if (id === 'c') return { kind: 'failed', reason: 'Crashed', message: 'It stopped.' }
      return id === 'd' ? { kind: 'ready', host: 'h', port: 1 } : undefined
    },
    failed: [],
    ready: [{ challengeId: 7, at: at(3) }],
  })
  expect(health.get(7)).toEqual({
    ...{ running: 2, starting: 1, failing: 1, failedStarts: 0 },
    ...{ reason: 'It stopped.', reasonCode: 'Crashed', lastReadyAt: at(3).toISOString() },
  })
  expect(health.get(8)).toEqual({
    ...{ running: 1, starting: 0, failing: 0, failedStarts: 0 },
    ...{ reason: null, reasonCode: null, lastReadyAt: null },
  })
  expect(health.get(9)).toBeUndefined()
})

test('adds up the failed starts of all images of a challenge, and returns the newest reason', () => {
  const failed = [aFailure(7, 2, 9, 'No image.'), aFailure(7, 3, 4, 'Crashed.')]
  const health = summarizeHealthByChallenge({ live: [], stateOf: () => undefined, failed, ready: [] })
  expect(health.get(7)).toMatchObject({ failing: 0, failedStarts: 5, reason: 'No image.', lastReadyAt: null })
})
