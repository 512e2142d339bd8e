import type { BoardChallenge, ScoreboardTeam, SolvedChallenge } from '@capstan/contract/scoreboard'
import { describe, expect, it } from 'vitest'
import {
  findDivision,
  getStanding,
  listBoardDivisions,
  listColumnGroups,
  listColumns,
  listLatestSolves,
  listTeamSolves,
  listTeamsOfDivision,
  listTeamsWithHigherScore,
  listUnrankedTeams,
  summarizeResultsByCategory,
} from './standings.ts'

function aChallenge(id: number, score = 100): BoardChallenge {
  return {
    id,
    title: `Task ${id}`,
    category: 'Web',
    score,
    solved: 0,
    bloods: [],
    disableBloodBonus: false,
    deadline: null,
  }
}

function aSolve(id: number, time: string, score = 100, type: SolvedChallenge['type'] = 'Normal'): SolvedChallenge {
  return {
    id,
    score,
    type,
    userName: 'mira',
    time: `2026-05-01T${time}Z`,
  }
}

function aTeam(id: number, rank: number, more: Partial<ScoreboardTeam> = {}): ScoreboardTeam {
  return {
    id,
    name: `Team ${id}`,
    bio: null,
    organization: null,
    avatar: null,
    score: 0,
    rank,
    organizationRank: null,
    lastSubmissionTime: more.solvedChallenges?.at(-1)?.time ?? '0001-01-01T00:00:00+00:00',
    solvedChallenges: [],
    solvedCount: more.solvedChallenges?.length ?? 0,
    ...more,
  }
}

const challenges = { Web: [aChallenge(3, 250), aChallenge(1)], Misc: [aChallenge(2)] }

describe('the columns of the board', () => {
  it("the board sorts columns by the contract's order of categories, then by the server's order", () => {
    expect(listColumns({ challenges }).map(({ id }) => id)).toEqual([2, 3, 1])
  })

  it('the board groups columns by category', () => {
    expect(listColumnGroups(listColumns({ challenges }))).toEqual([
      { category: 'Misc', from: 0, count: 1 },
      { category: 'Web', from: 1, count: 2 },
    ])
  })
})

describe('the divisions of the board', () => {
  const timeLines = { all: [], Students: [], Open: [] }
  const items = [
    aTeam(1, 1, { organization: 'Open', organizationRank: 1 }),
    aTeam(2, 2, { organization: 'Students', organizationRank: 1 }),
  ]

  it('the board has a division for each timeline except the timeline `all`', () => {
    expect(listBoardDivisions({ timeLines })).toEqual(['Students', 'Open'])
  })

  it('the board shows all teams if the address has an unknown division', () => {
    expect(findDivision({ timeLines }, 'Guests')).toBe('all')
    expect(findDivision({ timeLines }, 'Open')).toBe('Open')
    expect(findDivision({ timeLines }, null)).toBe('all')
  })

  it('the teams of a division have separate ranks', () => {
    const [team] = listTeamsOfDivision({ challenges, items }, 'Students')
    expect(team?.id).toBe(2)
    expect(team && getStanding(team, 'Students').rank).toBe(1)
    expect(team && getStanding(team, 'all').rank).toBe(2)
  })
})

describe('a team of the board', () => {
  const columns = listColumns({ challenges })
  const team = aTeam(1, 1, {
    score: 375,
    solvedChallenges: [aSolve(2, '10:00:00', 105, 'FirstBlood'), aSolve(3, '11:30:00', 258, 'SecondBlood')],
  })

  it('the dialog counts the first, second and third bloods of a team', () => {
    expect(getStanding(team, 'all').bloods).toEqual([1, 1, 0])
  })

  it('the dialog lists the solves of a team with place and category, latest first', () => {
    expect(listTeamSolves(team, columns).map(({ title, category, place }) => [title, category, place])).toEqual([
      ['Task 3', 'Web', 2],
      ['Task 2', 'Misc', 1],
    ])
  })

  it('the dialog omits solves of challenges that are no longer on the board', () => {
    expect(listTeamSolves(team, columns.slice(0, 1)).map(({ id }) => id)).toEqual([2])
  })

  it('the dialog summarizes the results of a team per category', () => {
    expect(summarizeResultsByCategory(team, columns)).toEqual([
      { category: 'Misc', solved: 1, total: 1, points: 105, available: 100 },
      { category: 'Web', solved: 1, total: 2, points: 258, available: 350 },
    ])
  })
})

describe('an update of the board', () => {
  it('an update highlights teams whose score grew, including new teams with points', () => {
    const before = { items: [aTeam(1, 1, { score: 100 }), aTeam(2, 2, { score: 50 })] }
    const after = { items: [aTeam(2, 1, { score: 150 }), aTeam(1, 2, { score: 95 }), aTeam(3, 3, { score: 10 }), aTeam(4, 4)] }
    expect([...listTeamsWithHigherScore(before, after)]).toEqual([2, 3])
  })

  it('no team is highlighted if the page has just opened', () => {
    expect(listTeamsWithHigherScore(undefined, { items: [aTeam(1, 1, { score: 100 })] }).size).toBe(0)
  })
})

it('the list of latest solves covers all teams, newest first', () => {
  const columns = listColumns({ challenges })
  const teams = [
    aTeam(1, 1, { solvedChallenges: [aSolve(2, '10:00:00'), aSolve(3, '12:00:00')] }),
    aTeam(2, 2, { solvedChallenges: [aSolve(1, '11:00:00')] }),
    aTeam(3, 3),
  ]
  expect(listLatestSolves(teams, columns, 2).map(({ team, id }) => [team.id, id])).toEqual([
    [1, 3],
    [2, 1],
  ])
})

describe('divisions with different rights', () => {
  // The division Guests lacks the rights to a rank (2) and to bloods (2048).
  const divisions = [
    { id: 1, name: 'Guests', defaultPermissions: 2147483647 - 2 - 2048, challengeConfigs: {} },
    { id: 2, name: 'Open', defaultPermissions: 2147483647, challengeConfigs: { 3: { challengeId: 3, permissions: 1024 } } },
  ]
  const open = { organization: 'Open', divisionId: 2 }
  const items = [
    aTeam(1, 1, { solvedChallenges: [aSolve(1, '10:00:00', 105, 'FirstBlood')] }),
    aTeam(2, 2, { ...open, organizationRank: 1, solvedChallenges: [aSolve(1, '10:02:00'), aSolve(3, '10:03:00')] }),
    aTeam(3, 3, { ...open, organizationRank: 2, solvedChallenges: [aSolve(1, '10:01:00', 103, 'SecondBlood')] }),
    aTeam(4, 0, { organization: 'Guests', divisionId: 1, organizationRank: 1, solvedChallenges: [aSolve(1, '09:00:00')] }),
  ]
  const board = { items, divisions, challenges: { Web: [aChallenge(1), aChallenge(3)] } }
  const idsOf = (teams: readonly ScoreboardTeam[]) => teams.map(({ id }) => id)

  it('the board separates teams that have no overall rank from ranked teams', () => {
    expect([idsOf(listTeamsOfDivision(board, 'all')), idsOf(listUnrankedTeams(board))]).toEqual([[1, 2, 3], [4]])
    expect(idsOf(listTeamsOfDivision(board, 'Guests'))).toEqual([4])
  })

  it('the board shows separate bloods for a division that has the right to bloods', () => {
    const bloodsOf = (division: string) =>
      listColumns(board, division).map(({ id, bloods }) => [id, bloods.map((blood) => blood.id)])
    expect(bloodsOf('Open')).toEqual([
      [1, [3, 2]],
      [3, []],
    ])
    expect(bloodsOf('Guests')).toEqual([
      [1, []],
      [3, []],
    ])
    const types = listTeamsOfDivision(board, 'Open').map(({ id, solvedChallenges }) => [
      id,
      solvedChallenges.map(({ type }) => type),
    ])
    expect(types).toEqual([
      [2, ['SecondBlood', 'Normal']],
      [3, ['FirstBlood']],
    ])
  })

  it('a challenge without bloods has none in a division either', () => {
    const off = { ...board, challenges: { Web: [{ ...aChallenge(1), disableBloodBonus: true }] } }
    expect(listColumns(off, 'Open').map(({ bloods }) => bloods)).toEqual([[]])
    expect(listTeamsOfDivision(off, 'Open').flatMap((team) => team.solvedChallenges.map(({ type }) => type))).toEqual(
      Array(3).fill('Normal'),
    )
  })

  it('simultaneous solves have the same order in the bloods of a division as in the bloods of all teams', () => {
    const at = (type: SolvedChallenge['type']) => [aSolve(1, '10:00:00', 100, type)]
    const tied = [
      aTeam(1, 1, { ...open, solvedChallenges: at('SecondBlood') }),
      aTeam(2, 2, { ...open, solvedChallenges: at('FirstBlood') }),
    ]
    const [column] = listColumns({ ...board, items: tied }, 'Open')
    expect(column?.bloods.map(({ id }) => id)).toEqual([2, 1])
  })
})
