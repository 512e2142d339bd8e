import { Scoreboard } from '@capstan/contract/scoreboard'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { buildScoreboard, createUnrankedTeam, type ScoreboardFacts } from './ranking.ts'
import { aChallenge, aDivision, aParticipation, aSolve, fullyPlayedBoardFacts, instantAt, someFacts } from './testing/facts.ts'

/**
 * Red and Blue solve Beta (864 with two solvers: 907 for the first, 890 for the second). Only Blue solves Alpha (500 + 5 % =
 * 525). Only Red solves Gamma (100 + 5 % = 105). Totals: Red 1012, Blue 1415, Grey 0. No other solve counts.
 */
const story = someFacts({
  challenges: [
    aChallenge(1, { title: 'Beta' }),
    aChallenge(2, { title: 'Alpha', points: 500 }),
    aChallenge(3, { title: 'Gamma', points: 100, category: 'Crypto' }),
    aChallenge(4, { title: 'Off', isEnabled: false, category: 'Pwn' }),
  ],
  participations: [
    aParticipation(1, {
      division: 'Students',
      team: { id: 101, name: 'Red', bio: 'We are red', avatar: '/assets/red/avatar' },
    }),
    aParticipation(2, { name: 'Blue' }),
    aParticipation(3, { name: 'Green', status: 'Suspended', division: 'Green only' }),
    aParticipation(4, { name: 'Grey', division: 'Students' }),
    aParticipation(5, { name: 'Waiting', status: 'Pending' }),
    aParticipation(6, { name: 'Rejected', status: 'Rejected' }),
  ],
  solves: [
    aSolve(10, 3, 1, '09:00'), // suspended
    aSolve(11, 1, 1, '10:00'),
    aSolve(12, 2, 1, '10:05'),
    aSolve(13, 2, 2, '10:10'),
    aSolve(14, 1, 3, '10:20'),
    aSolve(15, 1, 1, '10:30'), // again
    aSolve(16, 1, 4, '10:40'), // disabled
    aSolve(17, 2, 3, '12:00'), // at the end
    aSolve(18, 4, 1, '12:30'), // practice
  ],
})

describe('the scoreboard of a small game', () => {
  const board = buildScoreboard(story)

  test('the scoreboard matches the schema of the contract', () => {
    expect([...Value.Errors(Scoreboard, board)]).toEqual([])
  })

  test('the scoreboard contains the time of its creation, the bonus and the number of challenges', () => {
    expect(board).toMatchObject({ updateTimeUtc: '2026-05-01T11:00:00.000Z', bloodBonus: 52459530, challengeCount: 3 })
  })

  test('the scoreboard ranks only the accepted teams', () => {
    expect(board.items.map(({ rank, name, score, organizationRank }) => [rank, name, score, organizationRank])).toEqual([
      [1, 'Blue', 1415, null],
      [2, 'Red', 1012, 1],
      [3, 'Grey', 0, 2],
    ])
  })

  test('the scoreboard shows all data of a team', () => {
    expect(board.items[1]).toEqual({
      id: 101,
      name: 'Red',
      bio: 'We are red',
      organization: 'Students',
      divisionId: null,
      avatar: '/assets/red/avatar',
      score: 1012,
      rank: 2,
      organizationRank: 1,
      divisionRank: 1,
      lastSubmissionTime: '2026-05-01T10:20:00.000Z',
      solvedChallenges: [
        { id: 1, score: 907, type: 'FirstBlood', userName: 'user 1', time: '2026-05-01T10:00:00.000Z' },
        { id: 3, score: 105, type: 'FirstBlood', userName: 'user 1', time: '2026-05-01T10:20:00.000Z' },
      ],
      solvedCount: 2,
    })
  })

  test('the scoreboard shows teams that have no solves', () => {
    expect(board.items[2]).toMatchObject({
      lastSubmissionTime: '0001-01-01T00:00:00+00:00',
      solvedChallenges: [],
      solvedCount: 0,
    })
  })

  test('the scoreboard shows enabled challenges by category and title, with value, solvers and bloods', () => {
    expect(Object.keys(board.challenges)).toEqual(['Crypto', 'Web'])
    expect(board.challenges.Web?.map(({ title, score, solved }) => [title, score, solved])).toEqual([
      ['Alpha', 500, 1],
      ['Beta', 864, 2],
    ])
    expect(board.challenges.Web?.[1]?.bloods).toEqual([
      { id: 101, name: 'Red', avatar: '/assets/red/avatar', submitTimeUtc: '2026-05-01T10:00:00.000Z' },
      { id: 102, name: 'Blue', avatar: null, submitTimeUtc: '2026-05-01T10:05:00.000Z' },
    ])
  })

  test('the scoreboard has a timeline for all teams, and a timeline for each division with teams', () => {
    const red = {
      id: 101,
      name: 'Red',
      items: [
        { time: '2026-05-01T10:00:00.000Z', score: 907 },
        { time: '2026-05-01T10:20:00.000Z', score: 1012 },
      ],
    }
    const grey = { id: 104, name: 'Grey', items: [] }
    const blue = {
      id: 102,
      name: 'Blue',
      items: [
        { time: '2026-05-01T10:05:00.000Z', score: 890 },
        { time: '2026-05-01T10:10:00.000Z', score: 1415 },
      ],
    }
    expect(board.timeLines).toEqual({ all: [blue, red, grey], Students: [red, grey] })
  })
})

describe('the order of teams', () => {
  const namesOf = (changes: Parameters<typeof someFacts>[0]) => buildScoreboard(someFacts(changes)).items.map(({ name }) => name)
  const flat = { points: 100, minimumShare: 1 }
  const noBonus = { end: instantAt('12:00'), bloodBonus: 0 }

  test('ranks the team with the earlier last solve first if the scores are equal', () => {
    expect(
      namesOf({
        game: noBonus,
        challenges: [aChallenge(1, flat), aChallenge(2, flat)],
        participations: [aParticipation(1, { name: 'late' }), aParticipation(2, { name: 'early' })],
        solves: [aSolve(1, 1, 1, '09:00'), aSolve(2, 2, 1, '09:30'), aSolve(3, 2, 2, '10:00'), aSolve(4, 1, 2, '10:30')],
      }),
    ).toEqual(['early', 'late'])
  })

  test('ranks the team with the lower submission id first if scores and times are equal', () => {
    expect(
      namesOf({
        game: noBonus,
        challenges: [aChallenge(1, flat)],
        participations: [aParticipation(1, { name: 'second' }), aParticipation(2, { name: 'first' })],
        solves: [aSolve(8, 1, 1, '09:00'), aSolve(7, 2, 1, '09:00')],
      }),
    ).toEqual(['first', 'second'])
  })

  test('a team with a solve of 0 points ranks before a team without solves', () => {
    expect(
      namesOf({
        challenges: [aChallenge(1, { points: 0 })],
        participations: [
          aParticipation(3, { name: 'younger' }),
          aParticipation(1, { name: 'older' }),
          aParticipation(4, { name: 'solver' }),
        ],
        solves: [aSolve(1, 4, 1, '09:00')],
      }),
    ).toEqual(['solver', 'older', 'younger'])
  })
})

describe('a value that is fixed at the solve', () => {
  // The value starts at 500 points, and decreases by 50 points with each further solver. The minimum is 100 points.
  const linear = {
    curve: 'linear',
    points: 500,
    minimumShare: 0.2,
    decay: 50,
    hasBloods: false,
    isValueFixed: true,
  } as const
  const solves = [aSolve(1, 1, 1, '09:00'), aSolve(2, 2, 1, '09:30'), aSolve(3, 3, 1, '10:00')]
  const pointsOf = (changes: Partial<ScoreboardFacts>) =>
    buildScoreboard(
      someFacts({
        challenges: [aChallenge(1, linear)],
        participations: [1, 2, 3].map((id) => aParticipation(id)),
        solves,
        ...changes,
      }),
    ).items.map(({ id, score }) => [id, score])

  test('later solves do not change the points of an earlier solve', () => {
    const board = [
      [101, 500],
      [102, 450],
      [103, 400],
    ]
    expect(pointsOf({})).toEqual(board)
    expect(pointsOf({ solves: solves.toReversed() })).toEqual(board)
  })

  test('the points of a solve rise when an earlier solver is suspended', () => {
    const participations = [aParticipation(1, { status: 'Suspended' }), aParticipation(2), aParticipation(3)]
    expect(pointsOf({ participations })).toEqual([
      [102, 500],
      [103, 450],
    ])
  })

  test('a fixed value ignores solves of teams without the right to change the value', () => {
    // Bit 2 is the right to a rank, and bit 1024 the right to points.
    const divisions = [aDivision(1, 'Guests', { defaultPermissions: 2 + 1024 })]
    const participations = [aParticipation(1), aParticipation(2, { division: 'Guests' }), aParticipation(3)]
    expect(pointsOf({ divisions, participations })).toEqual([
      [101, 500],
      [102, 500],
      [103, 450],
    ])
  })

  test('with the curve of rCTF, points depend on the most-solved challenge at the time of the solve', () => {
    // The formula depends on the number of solves, divided by the number of solves of the most solved challenge. A ratio of 0
    // gives 500 points, 1/2 gives 213, and 1 gives 100.
    const challenges = [aChallenge(1, { ...linear, curve: 'rctf' }), aChallenge(2, { ...linear, points: 0, curve: 'static' })]
    const [first, second] = [aSolve(4, 1, 2, '08:00'), aSolve(5, 2, 2, '08:30')]
    const own = [aSolve(6, 3, 1, '09:00'), aSolve(7, 1, 1, '09:30')]
    expect(pointsOf({ challenges, solves: [first, second, ...own] })).toEqual([
      [103, 213],
      [101, 100],
      [102, 0],
    ])
  })
})

describe('bloods', () => {
  const four = {
    challenges: [aChallenge(1, { minimumShare: 1 })],
    participations: [1, 2, 3, 4].map((id) => aParticipation(id)),
    // Solves 3 and 4 have the same time, so the submission id decides.
    solves: [aSolve(9, 1, 1, '10:00'), aSolve(4, 3, 1, '09:00'), aSolve(3, 4, 1, '09:00'), aSolve(1, 2, 1, '11:00')],
  }

  test('bloods are sorted by time and then by submission id, and only the first three solves get a bonus', () => {
    const { items } = buildScoreboard(someFacts(four))
    expect(items.map(({ id, score, solvedChallenges }) => [id, score, solvedChallenges[0]?.type])).toEqual([
      [104, 1050, 'FirstBlood'],
      [103, 1030, 'SecondBlood'],
      [101, 1010, 'ThirdBlood'],
      [102, 1000, 'Normal'],
    ])
  })

  test('bloods are shown but give no points if the bonus is 0', () => {
    const board = buildScoreboard(someFacts({ ...four, game: { end: instantAt('12:00'), bloodBonus: 0 } }))
    expect(board.bloodBonus).toBe(0)
    expect(board.items.map(({ score }) => score)).toEqual([1000, 1000, 1000, 1000])
    expect(board.challenges.Web?.[0]?.bloods.map(({ id }) => id)).toEqual([104, 103, 101])
  })

  test('no team gets a blood if organizers disable bloods for the challenge', () => {
    const board = buildScoreboard(someFacts({ ...four, challenges: [aChallenge(1, { minimumShare: 1, hasBloods: false })] }))
    expect(board.challenges.Web).toMatchObject([{ bloods: [], disableBloodBonus: true, solved: 4 }])
    expect(board.items.map(({ score, solvedChallenges }) => [score, solvedChallenges[0]?.type])).toEqual(
      Array.from({ length: 4 }, () => [1000, 'Normal']),
    )
  })

  test('bloods give fixed points instead of a share if the game has blood points', () => {
    const bloodPoints = { first: 100, second: 7, third: 0 }
    const board = buildScoreboard(someFacts({ ...four, game: { end: instantAt('12:00'), bloodBonus: 52459530, bloodPoints } }))
    expect([board.bloodBonus, board.bloodPoints]).toEqual([52459530, bloodPoints])
    expect(board.items.map(({ id, score }) => [id, score])).toEqual([
      [104, 1100],
      [103, 1007],
      [101, 1000],
      [102, 1000],
    ])
  })

  test('bloods have the default bonus if a part of the bonus is invalid', () => {
    const board = buildScoreboard(someFacts({ ...four, game: { end: instantAt('12:00'), bloodBonus: 1001 } }))
    expect(board.bloodBonus).toBe(52459530)
    expect(board.items[0]?.score).toBe(1050)
  })
})

describe('edge cases of the board', () => {
  test('an empty game has an empty board', () => {
    expect(buildScoreboard(someFacts())).toEqual({
      updateTimeUtc: '2026-05-01T11:00:00.000Z',
      bloodBonus: 52459530,
      timeLines: { all: [] },
      divisions: [],
      items: [],
      challenges: {},
      challengeCount: 0,
    })
  })

  test('all teams have a rank, but each timeline contains only ten teams', () => {
    const { timeLines, items } = buildScoreboard(fullyPlayedBoardFacts(44, 3))
    expect(timeLines.all?.map(({ id }) => id)).toEqual(items.slice(0, 10).map(({ id }) => id))
    expect(timeLines['division 0']).toHaveLength(10)
    expect(items.map(({ rank }) => rank)).toEqual(Array.from({ length: 44 }, (_, index) => index + 1))
  })

  test.each(['__proto__', 'constructor', 'toString'])('a division may have the name %s', (division) => {
    const { timeLines } = buildScoreboard(someFacts({ participations: [aParticipation(1, { division })] }))
    expect(Object.keys(timeLines).sort()).toEqual([division, 'all'].sort())
  })

  test('categories are in the order of the enumeration, and challenges with equal titles are sorted by id', () => {
    const challenges = [
      aChallenge(3, { category: 'OSINT' }),
      aChallenge(2, { category: 'Misc', title: 'same' }),
      aChallenge(1, { category: 'Misc', title: 'same' }),
      aChallenge(4, { category: 'AI' }),
    ]
    const board = buildScoreboard(someFacts({ challenges }))
    expect(Object.keys(board.challenges)).toEqual(['Misc', 'AI', 'OSINT'])
    expect(board.challenges.Misc?.map(({ id }) => id)).toEqual([1, 2])
  })

  test('building a board does not modify the given data', () => {
    const facts = fullyPlayedBoardFacts(5, 5)
    const copy = structuredClone(facts)
    buildScoreboard(facts)
    expect(facts).toEqual(copy)
  })

  test('a team that is not on the board has rank 0 and no solves', () => {
    expect(createUnrankedTeam({ id: 7, name: 'New', bio: null, avatar: null }, 'Open', 3)).toEqual({
      id: 7,
      name: 'New',
      bio: null,
      organization: 'Open',
      divisionId: 3,
      avatar: null,
      score: 0,
      rank: 0,
      organizationRank: null,
      divisionRank: null,
      lastSubmissionTime: '0001-01-01T00:00:00+00:00',
      solvedChallenges: [],
      solvedCount: 0,
    })
  })
})

describe('the rights of a division', () => {
  const [rank, points, bloods, value] = [2, 1024, 2048, 4096]
  const all = rank + points + bloods + value

  /** Team 101 solves first, then team 102, then team 103. Only team 101 has the given permissions. */
  function boardWith(permissions: number, overrides: [number, number][] = []) {
    return buildScoreboard(
      someFacts({
        challenges: [aChallenge(1)],
        divisions: [
          aDivision(5, 'Guests', { defaultPermissions: permissions, overrides: new Map(overrides) }),
          aDivision(6, 'Open', { defaultPermissions: all }),
        ],
        participations: [aParticipation(1, { division: 'Guests' }), aParticipation(2, { division: 'Open' }), aParticipation(3)],
        solves: [aSolve(1, 1, 1, '10:00'), aSolve(2, 2, 1, '10:01'), aSolve(3, 3, 1, '10:02')],
      }),
    )
  }
  const shown = (board: Scoreboard) => board.items.map(({ id, rank, score, solvedCount }) => [id, rank, score, solvedCount])
  const challengeOf = (board: Scoreboard) => {
    const { score, solved, bloods } = board.challenges.Web![0]!
    return [score, solved, bloods.map(({ id }) => id)]
  }

  // Value with n solvers: 1000 × (0.25 + 0.75 × e^((1 − n) ÷ 5)): 864 with two, 752 with three. Bonuses are 5, 3 and 1 percent.
  test('every solve counts in full if the division has all rights', () => {
    const board = boardWith(all)
    expect(challengeOf(board)).toEqual([752, 3, [101, 102, 103]])
    // Scores: 752 × 1.05 = 789.6, 752 × 1.03 = 774.56, 752 × 1.01 = 759.52.
    expect(shown(board)).toEqual([
      [101, 1, 790, 1],
      [102, 2, 775, 1],
      [103, 3, 760, 1],
    ])
  })

  test('a team with only the right to points has no rank and does not affect other teams', () => {
    const board = boardWith(points)
    expect(challengeOf(board)).toEqual([864, 2, [102, 103]])
    // Scores: 864 × 1.05 = 907.2, 864 × 1.03 = 889.92. The guests get the value without a bonus.
    expect(shown(board)).toEqual([
      [102, 1, 907, 1],
      [103, 2, 890, 1],
      [101, 0, 864, 1],
    ])
    expect(board.items[2]).toMatchObject({ organizationRank: 1, divisionRank: 1, divisionId: 5 })
    expect(board.items[2]!.solvedChallenges[0]).toMatchObject({ type: 'Normal', score: 864 })
    expect(board.timeLines.all!.map(({ id }) => id)).toEqual([102, 103])
    expect(board.timeLines.Guests!.map(({ id }) => id)).toEqual([101])
  })

  test('a team without the right to points gets 0 points for a solve', () => {
    const board = boardWith(rank + bloods + value)
    expect(challengeOf(board)).toEqual([752, 3, [101, 102, 103]])
    expect(shown(board)).toEqual([
      [102, 1, 775, 1],
      [103, 2, 760, 1],
      [101, 3, 0, 1],
    ])
    expect(board.items[2]).toMatchObject({ lastSubmissionTime: '0001-01-01T00:00:00+00:00' })
    expect(board.items[2]!.solvedChallenges[0]).toMatchObject({ type: 'FirstBlood', score: 0 })
  })

  test('rights for a single challenge replace the rights of the division', () => {
    expect(challengeOf(boardWith(all, [[1, points]]))).toEqual([864, 2, [102, 103]])
    expect(challengeOf(boardWith(rank, [[1, all]]))).toEqual([752, 3, [101, 102, 103]])
    expect(shown(boardWith(all, [[1, points]]))[0]).toEqual([102, 1, 907, 1])
  })

  test('a division on the board has rights only for challenges on the board', () => {
    const overrides: [number, number][] = [
      [1, points],
      [2, points],
    ]
    expect(boardWith(rank, overrides).divisions).toEqual([
      { id: 5, name: 'Guests', defaultPermissions: 2, challengeConfigs: { 1: { challengeId: 1, permissions: 1024 } } },
      { id: 6, name: 'Open', defaultPermissions: 7170, challengeConfigs: {} },
    ])
  })

  test('a team has all rights if its division was removed', () => {
    const board = buildScoreboard(someFacts({ participations: [aParticipation(1, { division: 'Removed' })] }))
    expect(board.items[0]).toMatchObject({ rank: 1, organization: 'Removed', divisionId: null })
  })
})

test('a solve counts just before the deadline of its challenge, but not at the deadline or later', () => {
  const at = (ms: number) => new Date(instantAt('11:00').getTime() + ms)
  const board = buildScoreboard(
    someFacts({
      challenges: [aChallenge(1, { deadline: at(0) }), aChallenge(2)],
      participations: [aParticipation(1), aParticipation(2), aParticipation(3)],
      solves: [
        { ...aSolve(1, 1, 1, '11:00'), submittedAt: at(-1) },
        { ...aSolve(2, 2, 1, '11:00'), submittedAt: at(0) },
        { ...aSolve(3, 3, 1, '11:00'), submittedAt: at(1) },
        { ...aSolve(4, 3, 2, '11:00'), submittedAt: at(1) },
      ],
    }),
  )
  expect(board.items.map(({ id, solvedChallenges }) => [id, solvedChallenges.map((solved) => solved.id)])).toEqual([
    [101, [1]],
    [103, [2]],
    [102, []],
  ])
  expect(board.challenges.Web?.map(({ id, solved, deadline }) => [id, solved, deadline])).toEqual([
    [1, 1, at(0).getTime()],
    [2, 1, null],
  ])
})

describe('found flags', () => {
  /**
   * Challenge 1 is worth 1000 points, and its flags are worth 30 and 70. Red finds one flag at 10:00 and solves the challenge at
   * 11:00. Blue finds one flag.
   */
  const facts = someFacts({
    challenges: [
      aChallenge(1, { curve: 'static', hasBloods: false, flagPoints: 100 }),
      aChallenge(2, { deadline: instantAt('10:00') }),
    ],
    participations: [
      aParticipation(1, {
        name: 'Red',
        foundFlags: [
          { challengeId: 1, submissionId: 3, points: 70, foundAt: instantAt('11:00') },
          { challengeId: 1, submissionId: 1, points: 30, foundAt: instantAt('10:00') },
          { challengeId: 1, submissionId: 9, points: 500, foundAt: instantAt('12:00') }, // The flag is too late for the game.
          { challengeId: 2, submissionId: 2, points: 500, foundAt: instantAt('10:00') }, // The flag is too late for the challenge.
          { challengeId: 3, submissionId: 4, points: 500, foundAt: instantAt('10:00') }, // The challenge does not exist.
        ],
      }),
      aParticipation(2, {
        name: 'Blue',
        foundFlags: [{ challengeId: 1, submissionId: 5, points: 30, foundAt: instantAt('10:30') }],
      }),
      aParticipation(3, {
        name: 'Grey',
        foundFlags: [{ challengeId: 1, submissionId: 6, points: 30, foundAt: instantAt('10:29') }],
      }),
    ],
    solves: [aSolve(3, 1, 1, '11:00')],
  })
  const board = buildScoreboard(facts)

  test('found flags give points at once, and the time of the last found flag decides between equal scores', () => {
    expect(board.items.map(({ name, score, lastSubmissionTime }) => [name, score, lastSubmissionTime])).toEqual([
      ['Red', 1100, '2026-05-01T11:00:00.000Z'],
      ['Grey', 30, '2026-05-01T10:29:00.000Z'],
      ['Blue', 30, '2026-05-01T10:30:00.000Z'],
    ])
  })

  test('found flags are listed in order of time, and do not count as solves', () => {
    expect(board.items[0]?.foundFlags).toEqual([
      { id: 1, points: 30, time: instantAt('10:00').getTime() },
      { id: 1, points: 70, time: instantAt('11:00').getTime() },
    ])
    expect(board.items.map(({ solvedCount }) => solvedCount)).toEqual([1, 0, 0])
    expect(board.challenges.Web?.map(({ flagPoints, solved }) => [flagPoints, solved])).toEqual([
      [100, 1],
      [undefined, 0],
    ])
  })

  test('each found flag is a step of the timeline', () => {
    expect(board.timeLines.all?.[0]?.items.map(({ score }) => score)).toEqual([30, 100, 1100])
  })

  test('a team without the right to points gets no points for a found flag', () => {
    const division = aDivision(1, 'Guests', { defaultPermissions: 2 + 4096 })
    const guest = { ...facts.participations[1]!, division: 'Guests' }
    const [team] = buildScoreboard({ ...facts, divisions: [division], participations: [guest] }).items
    expect([team?.score, team?.foundFlags, team?.lastSubmissionTime]).toEqual([0, undefined, '0001-01-01T00:00:00+00:00'])
  })
})
