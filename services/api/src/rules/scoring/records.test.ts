import { allRights } from '@capstan/contract/division-rights'
import { describe, expect, test } from 'vitest'
import { buildScoreboard } from './ranking.ts'
import { boardFactsBeforeInstant, boardFactsOfScoreState, createScoreFoldUntilFreeze, type ScoreRecord } from './records.ts'
import { aChallenge, aDivision, aParticipation, instantAt } from './testing/facts.ts'
import {
  createChallengeRecord,
  createGameRecord,
  createParticipationRecord,
  createRemovalRecord,
  createSolveRecord,
  instantMsAt,
  someNames,
} from './testing/records.ts'

const opening = [
  createGameRecord('09:00'),
  createChallengeRecord('09:00', 1),
  createParticipationRecord('09:10', 1),
  createParticipationRecord('09:20', 2),
]

function at(time: string, records: readonly ScoreRecord[]) {
  const facts = boardFactsBeforeInstant(records, instantAt(time), someNames)
  if (!facts) throw new Error('The game does not exist yet')
  return facts
}

/** Returns score and name of each team in order of rank. */
function standingsAt(time: string, records: readonly ScoreRecord[]) {
  const { items } = buildScoreboard({ ...at(time, records), updatedAt: instantAt('13:00') })
  return items.map(({ name, score }) => `${name}: ${score}`)
}

describe('board data from records', () => {
  test('the board data contains the values of all rows that belong on the board', () => {
    const records: readonly ScoreRecord[] = [
      ...opening,
      createChallengeRecord('09:00', 7, { isShown: false }),
      createChallengeRecord('09:00', 3, { deadline: instantMsAt('11:00'), curve: 'linear' }),
      createParticipationRecord('09:30', 4, { status: 'Pending' }),
      createParticipationRecord('09:30', 3, { division: 'Students' }),
      { kind: 'division', key: '12', time: instantMsAt('09:00'), value: { name: 'Students', permissions: null } },
      { kind: 'division', key: '5', time: instantMsAt('09:00'), value: { name: 'Open', permissions: 7 } },
      { kind: 'right', key: '5 3', time: instantMsAt('09:00'), value: { permissions: 1 } },
      { kind: 'right', key: '5 1', time: instantMsAt('09:00'), value: { permissions: 0 } },
      {
        kind: 'award',
        key: '10',
        time: instantMsAt('10:00'),
        value: { participation: 2, points: 40, time: instantMsAt('10:00') },
      },
      {
        kind: 'award',
        key: '9',
        time: instantMsAt('10:00'),
        value: { participation: 2, points: -5, time: instantMsAt('10:00') },
      },
      {
        kind: 'hint',
        key: '1',
        time: instantMsAt('10:01'),
        value: { participation: 2, challenge: 3, price: 30, time: instantMsAt('10:01') },
      },
      { kind: 'flag', key: '8', time: instantMsAt('09:00'), value: { challenge: 3, points: 20 } },
      { kind: 'flag', key: '9', time: instantMsAt('09:00'), value: { challenge: 3, points: 0 } },
      {
        kind: 'found',
        key: '2 9',
        time: instantMsAt('10:06'),
        value: { challenge: 3, submission: 51, time: instantMsAt('10:06') },
      },
      {
        kind: 'found',
        key: '2 8',
        time: instantMsAt('10:07'),
        value: { challenge: 3, submission: 52, time: instantMsAt('10:07') },
      },
      createSolveRecord('10:06', '2 1', 51),
      createSolveRecord('10:05', '1 1', 50),
    ]
    expect(at('10:30', records)).toEqual({
      game: { end: instantAt('12:00'), bloodBonus: 52459530, bloodPoints: null },
      challenges: [aChallenge(1), aChallenge(3, { deadline: instantAt('11:00'), curve: 'linear', flagPoints: 20 })],
      divisions: [
        aDivision(5, 'Open', {
          defaultPermissions: 7,
          overrides: new Map([
            [1, 0],
            [3, 1],
          ]),
        }),
        aDivision(12, 'Students', { defaultPermissions: allRights }),
      ],
      participations: [
        aParticipation(1, { awards: [], foundFlags: [], boughtHints: [] }),
        aParticipation(2, {
          foundFlags: [{ challengeId: 3, submissionId: 52, points: 20, foundAt: instantAt('10:07') }],
          awards: [
            { points: -5, time: instantMsAt('10:00') },
            { points: 40, time: instantMsAt('10:00') },
          ],
          boughtHints: [{ challengeId: 3, price: 30, time: instantMsAt('10:01') }],
        }),
        aParticipation(3, { division: 'Students', awards: [], foundFlags: [], boughtHints: [] }),
      ],
      solves: [
        { submissionId: 50, participationId: 1, challengeId: 1, userName: 'user of 50', submittedAt: instantAt('10:05') },
        { submissionId: 51, participationId: 2, challengeId: 1, userName: 'user of 51', submittedAt: instantAt('10:06') },
      ],
    })
  })

  test('there is no board data before the first record of the game', () => {
    expect(boardFactsBeforeInstant(opening, instantAt('09:00'), someNames)).toBeUndefined()
    expect(boardFactsBeforeInstant(opening, instantAt('09:01'), someNames)).toBeDefined()
  })

  test('a solve has no user name if the user no longer exists', () => {
    const records = [...opening, createSolveRecord('10:05', '1 1', 50)]
    const names = { ...someNames, userOf: () => undefined }
    expect(boardFactsBeforeInstant(records, instantAt('11:00'), names)?.solves).toMatchObject([{ userName: null }])
  })
})

describe('a board of a past moment', () => {
  // The value of a challenge with one solver is 1000, with a first blood of 5 %.
  const records = [
    ...opening,
    createSolveRecord('10:00', '1 1', 50),
    {
      kind: 'award',
      key: '9',
      time: instantMsAt('10:10'),
      value: { participation: 2, points: 2000, time: instantMsAt('10:10') },
    },
    createRemovalRecord('10:20', 'award', '9'),
    createRemovalRecord('10:30', 'solve', '1 1'),
    createSolveRecord('10:40', '1 1', 50, '10:00'),
    createParticipationRecord('10:50', 1, { status: 'Suspended' }),
  ] as const

  test.each([
    ['before a solve has no points', '10:00', ['team 1: 0', 'team 2: 0']],
    ['after the solve has its points and the first blood', '10:01', ['team 1: 1050', 'team 2: 0']],
    ['after an award has its points', '10:11', ['team 2: 2000', 'team 1: 1050']],
    ['after the revocation of the award does not have its points', '10:21', ['team 1: 1050', 'team 2: 0']],
    ['after the solve was taken back does not have its points', '10:31', ['team 1: 0', 'team 2: 0']],
    ['after the solve was restored has its points and blood again', '10:41', ['team 1: 1050', 'team 2: 0']],
    ['after the suspension of a team does not have the team', '10:51', ['team 2: 0']],
  ])('a board %s', (_name, time, expected) => {
    expect(standingsAt(time, records)).toEqual(expected)
  })

  test('the board data does not depend on the order of records with different keys', () => {
    const [game, challenge, ...rest] = opening
    const late = [createSolveRecord('10:00', '1 1', 50), ...rest, challenge!, createSolveRecord('10:05', '2 1', 51), game!]
    const early = [...opening, createSolveRecord('10:05', '2 1', 51), createSolveRecord('10:00', '1 1', 50)]
    expect(at('11:00', late)).toEqual(at('11:00', early))
  })

  test('a past board does not contain later edits of a challenge', () => {
    const edited = [...opening, createSolveRecord('10:00', '1 1', 50), createChallengeRecord('10:30', 1, { originalScore: 500 })]
    expect(standingsAt('10:30', edited)).toEqual(['team 1: 1050', 'team 2: 0'])
    expect(standingsAt('10:31', edited)).toEqual(['team 1: 525', 'team 2: 0'])
  })
})

describe('the frozen state', () => {
  const frozen = (records: readonly ScoreRecord[]) => {
    const { state, add } = createScoreFoldUntilFreeze(instantAt('11:00'))
    add(records)
    return boardFactsOfScoreState(state, someNames)
  }

  test('the frozen board has the solve right before the freeze, but not the solve at the freeze', () => {
    const records = [...opening, createSolveRecord('10:59', '1 1', 50), createSolveRecord('11:00', '2 1', 51)]
    expect(frozen(records)?.solves.map(({ submissionId }) => submissionId)).toEqual([50])
  })

  test('the frozen board lacks solves, awards, hints and statuses from after the freeze', () => {
    const before = [...opening, createSolveRecord('10:00', '1 1', 50)]
    const after: readonly ScoreRecord[] = [
      ...before,
      createRemovalRecord('11:05', 'solve', '1 1'),
      createSolveRecord('11:05', '2 1', 51),
      { kind: 'award', key: '9', time: instantMsAt('11:05'), value: { participation: 2, points: 5, time: instantMsAt('11:05') } },
      {
        kind: 'hint',
        key: '9',
        time: instantMsAt('11:05'),
        value: { participation: 2, challenge: 1, price: 5, time: instantMsAt('11:05') },
      },
      createParticipationRecord('11:05', 1, { status: 'Suspended' }),
      createParticipationRecord('11:05', 3),
    ]
    expect(frozen(after)).toEqual(frozen(before))
  })

  test('the frozen board shows a team in its division even if the division was renamed after the freeze', () => {
    const division = (time: string, name: string): ScoreRecord => ({
      ...{ kind: 'division', key: '5', time: instantMsAt(time), value: { name, permissions: 7 } },
    })
    const before = [...opening, division('09:00', 'Open'), createParticipationRecord('09:30', 3, { division: 'Open' })]
    const after = [...before, division('11:05', 'Pro'), createParticipationRecord('11:05', 3, { division: 'Pro' })]
    expect(frozen(after)?.participations.map((team) => team.division)).toEqual([null, null, 'Pro'])
  })

  test('a team has no division on the frozen board if its division was deleted after the freeze', () => {
    const division = (key: string, time: string, name: string): ScoreRecord => ({
      ...{ kind: 'division', key, time: instantMsAt(time), value: { name, permissions: 7 } },
    })
    const records = [
      ...[...opening, division('5', '09:00', 'Open'), createParticipationRecord('09:30', 3, { division: 'Open' })],
      ...[division('5', '11:05', ''), createRemovalRecord('11:05', 'division', '5'), division('6', '11:06', 'Open')],
    ]
    expect(frozen(records)?.participations.map((team) => team.division)).toEqual([null, null, null])
  })

  test('the frozen board omits a solve that a rejudge adds during the freeze', () => {
    const records = [...opening, createSolveRecord('11:30', '1 1', 50, '10:00')]
    expect(frozen(records)?.solves).toEqual([])
  })

  test('the frozen board has the current challenges, divisions and end of the game', () => {
    const records: readonly ScoreRecord[] = [
      ...opening,
      createChallengeRecord('11:30', 2),
      { kind: 'division', key: '5', time: instantMsAt('11:30'), value: { name: 'Open', permissions: 7 } },
      createGameRecord('11:30', { end: instantMsAt('12:30') }),
    ]
    expect(frozen(records)).toMatchObject({
      game: { end: instantAt('12:30') },
      challenges: [{ id: 1 }, { id: 2 }],
      divisions: [{ id: 5 }],
    })
  })
})
