import type { MonitoredSubmission } from '@capstan/contract/monitor'
import { expect, it } from 'vitest'
import { compareSolves } from './compared-solves.ts'

function solve(challengeId: number, minute: number): MonitoredSubmission {
  return {
    ...{ id: minute, answer: 'flag', status: 'Accepted', user: '', userId: null, team: 'Reds', teamId: 1 },
    ...{ challengeId, challenge: `Challenge ${challengeId}`, time: new Date(Date.UTC(2030, 0, 1, 0, minute)).toISOString() },
  }
}

it('the comparison starts with the challenges that both teams solved, sorted by time difference', () => {
  const compared = compareSolves([solve(1, 10), solve(2, 20), solve(2, 5), solve(3, 7)], [solve(1, 40), solve(2, 6), solve(4, 1)])
  expect(compared.map(({ challengeId, apartMs }) => [challengeId, apartMs])).toEqual([
    [2, 60_000],
    [1, 1_800_000],
    [3, undefined],
    [4, undefined],
  ])
  expect(compared[0]?.one).toBe('2030-01-01T00:05:00.000Z')
})
