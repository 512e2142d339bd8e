import type { ChallengeMarks } from '@capstan/contract/challenge-labels'
import type { BoardChallenge, PlayerBoard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { describe, expect, it } from 'vitest'
import { addSolveToBoard, findFlagFault } from '../../lib/flag-answer.ts'
import {
  type BoardFilter,
  filterGroups,
  findNeighbors,
  findNextUnsolved,
  listCategoryGroups,
  listFilterChoices,
  type Marks,
} from './board.ts'
import { toTableRows } from './challenge-table.tsx'

function challenge(id: number, title: string, category: BoardChallenge['category'], score: number, solved = 0): BoardChallenge {
  return {
    id,
    title,
    category,
    score,
    solved,
    bloods: [],
    disableBloodBonus: false,
    deadline: null,
  }
}

const board: PlayerBoard['challenges'] = {
  Web: [challenge(1, 'Chandlery', 'Web', 400, 3), challenge(2, 'Anchor', 'Web', 900)],
  Misc: [challenge(3, 'Muster', 'Misc', 100, 9)],
}
const solved = new Set([1])
const groups = listCategoryGroups(board, solved)
function mark(id: number, difficulty: ChallengeMarks['difficulty'], ...tags: string[]) {
  return [id, { id, hasContainer: false, hasFile: false, difficulty, tags }] as const
}
const marks: Marks = new Map([mark(1, 'hard', 'SQLi', 'shop'), mark(2, 'easy', 'sqli'), mark(3, null)])
const everything: BoardFilter = { category: undefined, found: new Set([1, 2, 3]), hideSolved: false, sort: 'title' }
function titles(filter: Partial<BoardFilter>) {
  return filterGroups(groups, { ...everything, ...filter }, solved, marks).map((group) =>
    group.challenges.map(({ title }) => title),
  )
}

function team(id: number, rank: number, solves: ScoreboardTeam['solvedChallenges']): ScoreboardTeam {
  return {
    id,
    name: `Team ${id}`,
    bio: null,
    organization: null,
    avatar: null,
    score: 0,
    rank,
    organizationRank: null,
    lastSubmissionTime: '2026-01-01T00:00:00Z',
    solvedChallenges: solves,
    solvedCount: solves.length,
  }
}
function solve(id: number, minute: number, score = 500, type: ScoreboardTeam['solvedChallenges'][number]['type'] = 'Normal') {
  return {
    id,
    score,
    type,
    userName: 'mira',
    time: `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`,
  }
}

describe('the challenge board', () => {
  it("the board groups challenges by category in the contract's order, and counts solves", () => {
    expect(groups.map(({ category, solved, total }) => [category, solved, total])).toEqual([
      ['Misc', 0, 1],
      ['Web', 1, 2],
    ])
  })

  it('the board sorts challenges within categories by title, points or solves', () => {
    expect(titles({})).toEqual([['Muster'], ['Anchor', 'Chandlery']])
    expect(titles({ sort: 'points' })).toEqual([['Muster'], ['Anchor', 'Chandlery']])
    expect(titles({ sort: 'solves' })).toEqual([['Muster'], ['Chandlery', 'Anchor']])
  })

  it('the board filters by category, hides solved challenges, and finds challenges by title', () => {
    expect(titles({ category: 'Misc' })).toEqual([['Muster']])
    expect(titles({ hideSolved: true })).toEqual([['Muster'], ['Anchor']])
    expect(titles({ found: new Set([1, 3]) })).toEqual([['Muster'], ['Chandlery']])
  })

  it('the board filters challenges by difficulty, and by tag regardless of case', () => {
    expect(titles({ difficulty: 'hard' })).toEqual([['Chandlery']])
    expect(titles({ tag: 'sqli' })).toEqual([['Anchor', 'Chandlery']])
    expect(titles({ tag: 'SQLI', difficulty: 'easy' })).toEqual([['Anchor']])
    expect(titles({ tag: 'heap' })).toEqual([])
  })

  it('the board sorts challenges by difficulty: easiest first, and unrated last', () => {
    const rows = toTableRows(filterGroups(groups, { ...everything, sort: 'difficulty' }, solved, marks), 'difficulty', marks)
    expect(rows.map(({ title }) => title)).toEqual(['Anchor', 'Chandlery', 'Muster'])
  })

  it('the board offers difficulties in their order, and tags by frequency', () => {
    expect(listFilterChoices(board, marks)).toEqual({ difficulties: ['easy', 'hard'], tags: ['SQLi', 'shop'] })
    expect(listFilterChoices(board, new Map())).toEqual({ difficulties: [], tags: [] })
  })

  it('the table sorts the challenges of all categories together', () => {
    const rows = toTableRows(filterGroups(groups, { ...everything, sort: 'points' }, solved, marks), 'points', marks)
    expect(rows.map(({ score }) => score)).toEqual([900, 400, 100])
  })

  it('the dialog navigates to the previous and the next challenge in the displayed order', () => {
    const order = groups.flatMap((group) => group.challenges)
    expect(findNeighbors(order, 1)).toEqual({ previous: order[0], next: order[2] })
    expect(findNeighbors(order, 3).previous).toBeUndefined()
    expect(findNeighbors(order, 99)).toEqual({ previous: undefined, next: order[0] })
  })

  it('the button "Next" leads to the next unsolved challenge, and starts again after the last one', () => {
    const order = groups.flatMap((group) => group.challenges)
    const next = (id: number, ...solved: number[]) => findNextUnsolved(order, new Set(solved), id)?.title
    expect(next(3, 3, 1)).toBe('Anchor')
    expect(next(2, 1)).toBe('Muster')
    expect(next(99)).toBe('Muster')
    expect(next(2, 1, 3)).toBeUndefined()
    expect(next(2, 1, 2, 3)).toBeUndefined()
  })
})

describe('adding the solve of a correct flag', () => {
  const board: PlayerBoard = {
    challenges: {},
    challengeCount: 0,
    rank: team(1, 7, []),
    teamToken: '',
    writeupRequired: false,
    writeupDeadline: '2026-01-01T00:00:00Z',
  }

  it('the solve is added if the board does not contain it yet', () => {
    expect(addSolveToBoard(board, solve(7, 5, 525, 'FirstBlood')).rank).toMatchObject({
      rank: 7,
      solvedChallenges: [{ id: 7, score: 525, type: 'FirstBlood' }],
    })
  })

  it('a solve that the board already contains is not replaced', () => {
    const known = { ...board, rank: team(1, 4, [solve(7, 5, 510, 'FirstBlood')]) }
    expect(addSolveToBoard(known, solve(7, 5, 525, 'FirstBlood'))).toBe(known)
  })

  it('no solve is added if the team is not on the board', () => {
    const none = { ...board, rank: null }
    expect(addSolveToBoard(none, solve(7, 5, 525, 'FirstBlood'))).toBe(none)
  })
})

describe("the check of a flag's length", () => {
  it.each([
    ['', 'empty'],
    ['  \n', 'empty'],
    ['x'.repeat(128), 'long'],
    ['x'.repeat(127), undefined],
    [` ${'x'.repeat(127)} `, undefined],
    // The server counts code points. A flag emoji is one code point, but two UTF-16 units.
    ['🚩'.repeat(127), undefined],
    ['🚩'.repeat(128), 'long'],
  ] as const)('refuses %j as %s', (text, why) => {
    expect(findFlagFault(text)).toBe(why)
  })
})
