import { expect, test } from 'vitest'
import type { Board } from '../scoreboard/service.ts'
import { countInstancesByState, groupFiguresByMinute, mergeInstanceFailures } from './desk.ts'
import type { DeskInsightRepository } from './desk-insight-repository.ts'
import { findRisingTeams, readDeskInsights } from './desk-insights.ts'
import type { LiveRow } from './desk-repository.ts'

function aLiveRow(id: string, values: Partial<LiveRow> = {}): LiveRow {
  return {
    id,
    participationId: 1,
    status: 'Running',
    challengeId: 7,
    challenge: 'Winch Lock',
    image: 'winch:1',
    ...values,
  }
}

test('returns figures for each of sixty minutes, and merges figures of the same minute', () => {
  const minutes = groupFiguresByMinute([{ minute: 58, submissions: 4, accepted: 1 }], [{ minute: 58, starts: 2 }])
  expect(minutes).toHaveLength(60)
  expect(minutes[58]).toEqual({ submissions: 4, accepted: 1, starts: 2 })
  expect(minutes[59]).toEqual({ submissions: 0, accepted: 0, starts: 0 })
})

test('submissions with a time in the future count for the current minute', () => {
  expect(groupFiguresByMinute([{ minute: 60, submissions: 3, accepted: 0 }])[59]).toEqual({
    submissions: 3,
    accepted: 0,
    starts: 0,
  })
})

test('counts instances by observed state, or by the status of their row if no state was observed', () => {
  const rows = [
    aLiveRow('a', { status: 'Pending' }),
    aLiveRow('b'),
    aLiveRow('c'),
    aLiveRow('d', { status: 'Pending' }),
    aLiveRow('e', { participationId: null }),
  ]
  const counts = countInstancesByState(rows, (id) => {
    if (id === 'c') return { kind: 'failed', reason: 'Crashed', message: 'It stopped.' }
    return id === 'd' ? { kind: 'ready', host: 'h', port: 1 } : undefined
  })
  expect(counts).toEqual({ running: 2, starting: 1, failing: 1, tests: 1 })
})

test('lists the image with the most failures first, with its newest reason', () => {
  const now = new Date('2030-01-01T10:00:00Z')
  const ended = (image: string, count: number) => ({
    ...{ challengeId: 7, challenge: 'Winch Lock', image, count, reason: 'It was gone.', reasonCode: null },
    lastAt: new Date('2030-01-01T09:30:00Z'),
  })
  const failing = { row: aLiveRow('a'), state: { kind: 'failed', reason: 'Crashed', message: 'It stopped.' } as const }
  const common = { challengeId: 7, challenge: 'Winch Lock' }
  expect(mergeInstanceFailures([ended('other:1', 2), ended('winch:1', 2)], [failing], now)).toEqual([
    { ...common, image: 'winch:1', count: 3, lastAt: '2030-01-01T10:00:00.000Z', reason: 'It stopped.', reasonCode: 'Crashed' },
    { ...common, image: 'other:1', count: 2, lastAt: '2030-01-01T09:30:00.000Z', reason: 'It was gone.', reasonCode: null },
  ])
})

test('counts the points that teams gained since a given time, including blood bonuses', async () => {
  const solve = (score: number, minute: number) => ({
    ...({ id: minute, score, type: 'Normal', userName: null, time: `2030-01-01T00:${minute}:00.000Z` } as const),
  })
  const aTeam = (id: number, rank: number, solvedChallenges: ReturnType<typeof solve>[]) => ({
    ...{ id, name: `Team ${id}`, bio: null, organization: null, avatar: null, organizationRank: null },
    ...{ score: 900, rank, lastSubmissionTime: '2030-01-01T00:30:00Z', solvedCount: solvedChallenges.length, solvedChallenges },
  })
  const teams = [
    aTeam(1, 1, [solve(500, 10)]),
    aTeam(2, 2, [solve(52, 31), solve(100, 29)]),
    aTeam(3, 3, [solve(105, 40), solve(20, 45)]),
  ]
  expect(await findRisingTeams(teams, new Date('2030-01-01T00:30:00Z'), 6)).toEqual([
    { teamId: 3, team: 'Team 3', rank: 3, score: 900, gained: 125, solves: 2 },
    { teamId: 2, team: 'Team 2', rank: 2, score: 900, gained: 52, solves: 1 },
  ])
  expect(await findRisingTeams(teams, new Date('2030-01-01T00:30:00Z'), 1)).toHaveLength(1)
})

test('reads the rows of a large board in short steps, so that other requests are processed between the steps', async () => {
  const steps: number[] = []
  const board = {
    ...{ challenges: {}, teamCount: 150, rankedCount: 120, scoredCount: 0 },
    leaders(count: number) {
      steps.push(count)
      return []
    },
  } as unknown as Board
  const noRows = async () => []
  const repository = { countByChallenge: noRows, listStuck: noRows, listSuspicions: noRows } as unknown as DeskInsightRepository
  await readDeskInsights(repository, 1, board, new Date())
  expect(Math.max(...steps)).toBeLessThanOrEqual(20)
})
