import type { BoardChanges } from '@capstan/contract/board-changes'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readScoreboard } from './scoreboard.ts'

function aTeam(id: number, rank: number): ScoreboardTeam {
  return {
    id,
    name: `Team ${id}`,
    bio: null,
    organization: null,
    avatar: null,
    score: 0,
    rank,
    organizationRank: null,
    lastSubmissionTime: '0001-01-01T00:00:00+00:00',
    solvedChallenges: [],
    solvedCount: 0,
  }
}

const board: Scoreboard = {
  updateTimeUtc: '2026-05-01T10:00:00.000Z',
  bloodBonus: 0,
  timeLines: { all: [] },
  items: [aTeam(1, 1), aTeam(2, 2)],
  challenges: {
    Web: [
      { id: 7, title: 'Harbour', category: 'Web', score: 500, solved: 0, bloods: [], disableBloodBonus: false, deadline: null },
    ],
  },
  challengeCount: 1,
}

const nothing: BoardChanges = {
  version: 'v2',
  whole: false,
  updateTimeUtc: '2026-05-01T10:00:01.000Z',
  teams: [],
  removed: [],
  challenges: [],
  ties: [],
}
const time = '2026-05-01T10:00:00.500Z'
const solved: BoardChanges = {
  ...nothing,
  teams: [
    {
      ...{ ...aTeam(2, 1), score: 500, lastSubmissionTime: time, solvedCount: 1 },
      solvedChallenges: [{ id: 7, score: 500, type: 'FirstBlood', userName: 'mira', time }],
    },
  ],
  challenges: [{ id: 7, score: 500, solved: 1, bloods: [2] }],
}

/**
 * Simulates a server that sends these responses in order, each with a board version.
 * @returns the addresses of the received calls
 */
function serve(...answers: (readonly [status: number, body: unknown])[]) {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address)
    const [status, body] = answers.shift() ?? [500, {}]
    return new Response(JSON.stringify(body), { status, headers: { 'X-Board-Version': 'v1' } })
  })
  return asked
}
afterEach(() => vi.unstubAllGlobals())

const whole = '/api/game/3/scoreboard'
function since(version: string) {
  return `/api/game/3/scoreboard/rows?since=${version}`
}

describe('the cached scoreboard', () => {
  it('the scoreboard is read completely once, and afterwards only its changes are read', async () => {
    const asked = serve([200, board], [200, solved], [200, { ...nothing, version: 'v3' }], [200, { ...nothing, version: 'v3' }])
    const first = await readScoreboard(3, undefined)
    const second = await readScoreboard(3, first)
    expect(second.items.map(({ id, rank, score, solvedCount }) => [id, rank, score, solvedCount])).toEqual([
      [2, 1, 500, 1],
      [1, 2, 0, 0],
    ])
    expect(second.challenges.Web?.[0]).toMatchObject({ solved: 1, bloods: [{ id: 2, submitTimeUtc: time }] })
    expect(second.timeLines.all?.[0]).toEqual({ id: 2, name: 'Team 2', items: [{ time, score: 500 }] })
    const third = await readScoreboard(3, second)
    expect(third).toBe(second)
    await readScoreboard(3, third)
    expect(asked).toEqual([whole, since('v1'), since('v2'), since('v3')])
  })

  it('the scoreboard is read completely again if the server requires it', async () => {
    const asked = serve([200, board], [200, { ...nothing, whole: true }], [200, { ...board, challengeCount: 2 }])
    const first = await readScoreboard(3, undefined)
    expect((await readScoreboard(3, first)).challengeCount).toBe(2)
    expect(asked).toEqual([whole, since('v1'), whole])
  })

  it('the scoreboard is read completely again if the changes belong to another board or are unavailable', async () => {
    const foreign = { ...solved, challenges: [{ id: 99, score: 500, solved: 1, bloods: [2] }] }
    const asked = serve([200, board], [200, foreign], [200, board], [404, { title: '', status: 404 }], [200, board])
    const first = await readScoreboard(3, undefined)
    const second = await readScoreboard(3, first)
    await readScoreboard(3, second)
    expect(asked).toEqual([whole, since('v1'), whole, since('v1'), whole])
  })

  it('the cached scoreboard remains unchanged if the read fails', async () => {
    serve([200, board], [500, { title: 'Unknown error', status: 500 }])
    const first = await readScoreboard(3, undefined)
    await expect(readScoreboard(3, first)).rejects.toMatchObject({ httpStatus: 500 })
  })
})
