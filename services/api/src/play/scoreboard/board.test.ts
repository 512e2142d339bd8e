import { Limits } from '@capstan/contract/limits'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { describe, expect, test } from 'vitest'
import { type Board, createBoard } from './board.ts'
import type { BoardHistory } from './board-maker.ts'
import { writeBoard } from './board-writer.ts'

function timeOf(minute: number) {
  return new Date(Date.UTC(2026, 4, 1, 10, minute)).toISOString()
}

/** Returns a board on which the first `solved` teams have solved challenge 7. The first team solved it last. */
function boardOf(teams: number, solved: number): Scoreboard {
  return {
    updateTimeUtc: timeOf(59),
    bloodBonus: 0,
    timeLines: { all: [] },
    items: Array.from({ length: teams }, (_, index): ScoreboardTeam => {
      const solvedChallenges =
        index < solved ? [{ id: 7, score: 100, type: 'Normal' as const, userName: null, time: timeOf(solved - index) }] : []
      return {
        ...{ id: index + 1, name: `Täam ${index + 1}`, bio: null, organization: null, avatar: null, score: 0, rank: index + 1 },
        ...{ organizationRank: null, lastSubmissionTime: timeOf(0), solvedCount: solvedChallenges.length, solvedChallenges },
      }
    }),
    challenges: {
      Web: [7, 8].map((id) => ({
        id,
        title: `No. ${id}`,
        category: 'Web' as const,
        score: 100,
        solved: 0,
        bloods: [],
        disableBloodBonus: false,
        deadline: null,
      })),
    },
    challengeCount: 2,
  }
}

const solvers = { count: 1, latest: [{ id: 1, name: 'Täam 1', avatar: null, type: 'Normal' as const, time: timeOf(3) }] }

function made(board: Scoreboard, history: BoardHistory = { position: 10, floor: 5, changed: new Map() }): Board {
  return createBoard(
    {
      times: {
        ...{ start: new Date(0), end: new Date(0), writeupDeadline: new Date(0), practiceMode: false },
        ...{ freeze: null, revealed: null },
      },
      history,
      marks: '[]',
      ...{ frozenAt: null, locks: [], allChallenges: board.challenges, isOver: false },
      content: { ...writeBoard(board, false), solvers: new Map([[7, solvers]]) },
    },
    undefined,
  )
}

async function jsonOf(answer: ReturnType<Board['leading']> | undefined) {
  return JSON.parse(String(await answer?.in('identity')))
}

describe('partial responses of a board', () => {
  test.each([0, 1, Limits.leadingTeams, Limits.leadingTeams + 30])(
    'for a board with %i teams, the partial response has only the leading teams, and all other fields unchanged',
    async (teams) => {
      const whole = boardOf(teams, 0)
      const board = made(whole)
      const items = whole.items.slice(0, Limits.leadingTeams)
      expect(await jsonOf(board.leading())).toEqual({ ...whole, items, teamCount: teams })
      expect(board.leading()).toBe(board.leading())
    },
  )

  test('the board returns the solvers of a challenge, and undefined for a challenge that is not on the board', async () => {
    const board = made(boardOf(3, 3))
    expect(await jsonOf(board.solversOf(7))).toEqual(solvers)
    expect(board.solversOf(7)).toBe(board.solversOf(7))
    expect(board.solversOf(9)).toBeUndefined()
  })
})

test('the cached changes of a board are together at most as large as the board', () => {
  const changed = new Map(Array.from({ length: 40 }, (_, index) => [index + 1, 90]))
  const board = made(boardOf(200, 0), { position: 100, floor: 5, changed })
  const versions = Array.from({ length: 20 }, (_, index) => 5 + index)
  const answers = versions.map((version) => board.changesSince(version))
  const isCached = (index: number) => board.changesSince(versions[index]) === answers[index]
  const cached = versions.map((_, index) => index).filter((index) => index >= 17 && isCached(index))
  expect(cached).toEqual([17, 18, 19])
  expect(isCached(0)).toBe(false)
  expect(answers[0]!.size * 20).toBeGreaterThan(board.answer.size)
})

test.each([0, 3, 60])('the head of a board with %i teams has everything but the rows', (teams) => {
  const board = boardOf(teams, 0)
  const { items: _, ...head } = board
  expect(made(board).readHead()).toEqual(head)
})
