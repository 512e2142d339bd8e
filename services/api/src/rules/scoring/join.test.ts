import { describe, expect, test } from 'vitest'
import { assignProviderDivision, getJoinOutcome, type JoinFacts, refuseJoin } from './join.ts'

const running = new Date('2026-05-02T00:00:00Z')
const over = new Date('2026-05-04T00:00:00Z')

const openGame = {
  start: new Date('2026-05-01T00:00:00Z'),
  end: new Date('2026-05-03T00:00:00Z'),
  writeupDeadline: new Date('2026-05-03T00:00:00Z'),
  practiceMode: false,
  inviteCode: null,
  divisions: [],
  teamMemberCountLimit: 0,
  acceptWithoutReview: false,
  registrationOpensAt: null,
  registrationClosesAt: null,
} as const

const divided = {
  ...openGame,
  divisions: [
    { id: 1, name: 'Students', inviteCode: 'student-code', permissions: null },
    { id: 2, name: 'Open', inviteCode: null, permissions: null },
  ],
} as const

type GameFacts = NonNullable<JoinFacts['game']>

function facts(changes: Partial<JoinFacts> & { game?: GameFacts | undefined } = {}) {
  return {
    now: running,
    game: openGame,
    request: {},
    team: { hasCaller: true },
    callerStatus: undefined,
    participation: undefined,
    ...changes,
  }
}

function mates(otherMembersJoined: number, status: 'Pending' | 'Accepted' | 'Rejected' | 'Suspended' = 'Pending') {
  return {
    status,
    division: null,
    isWaiting: false,
    otherMembersJoined,
  }
}

describe('joining', () => {
  test.each<[string, Partial<JoinFacts>, string | undefined]>([
    ['is allowed for a member of a team', {}, undefined],
    ['check 1: requires that the game exists', { game: undefined }, 'game.unknown'],
    ['check 2: is refused after the end of the game', { now: over }, 'game.ended'],
    ['check 2: is allowed after the end in practice mode', { now: over, game: { ...openGame, practiceMode: true } }, undefined],
    ['check 2: is allowed before the start', { now: new Date('2026-04-01T00:00:00Z') }, undefined],
    ['check 4: requires the code of the game', { game: { ...openGame, inviteCode: 'secret' } }, 'join.code'],
    [
      'check 4: is refused with a wrong code',
      { game: { ...openGame, inviteCode: 'secret' }, request: { inviteCode: 'Secret' } },
      'join.code',
    ],
    [
      'check 4: is allowed with the code of the game',
      { game: { ...openGame, inviteCode: 'secret' }, request: { inviteCode: 'secret' } },
      undefined,
    ],
    ['check 4: requires no code if the code of the game is blank', { game: { ...openGame, inviteCode: ' ' } }, undefined],
    ['check 4: is allowed with a code that is not required', { request: { inviteCode: 'anything' } }, undefined],
    ['check 4: requires the code of the division', { game: divided, request: { organization: 'Students' } }, 'join.code'],
    [
      'check 4: is allowed with the code of the division',
      { game: divided, request: { organization: 'Students', inviteCode: 'student-code' } },
      undefined,
    ],
    [
      'check 4: requires the code of the division, not of the game',
      { game: { ...divided, inviteCode: 'secret' }, request: { organization: 'Students', inviteCode: 'secret' } },
      'join.code',
    ],
    [
      'check 4: requires the code of the game if the division has none',
      { game: { ...divided, inviteCode: 'secret' }, request: { organization: 'Open', inviteCode: 'secret' } },
      undefined,
    ],
    ['check 5: requires a division if the game has divisions', { game: divided }, 'join.division'],
    ['check 5: requires the exact name of a division', { game: divided, request: { organization: 'open' } }, 'join.division'],
    ['check 5: is allowed with a division that has no code', { game: divided, request: { organization: 'Open' } }, undefined],
    ['check 5: ignores the division of the request if the game has none', { request: { organization: 'Open' } }, undefined],
    ['check 6: requires that the team exists', { team: undefined }, 'team.unknown'],
    ['check 7: requires that the caller is a member of the team', { team: { hasCaller: false } }, 'team.not-member'],
    ['check 8: is refused if the caller has a pending participation', { callerStatus: 'Pending' }, 'join.already'],
    ['check 8: is refused if the caller has an accepted participation', { callerStatus: 'Accepted' }, 'join.already'],
    ['check 8: is refused if the caller has a suspended participation', { callerStatus: 'Suspended' }, 'join.already'],
    ['check 8: is allowed after a rejection', { callerStatus: 'Rejected' }, undefined],
    [
      'check 9: is allowed with the last free seat of the team',
      { game: { ...openGame, teamMemberCountLimit: 3 }, participation: mates(2) },
      undefined,
    ],
    [
      'check 9: is refused if the team has no free seat',
      { game: { ...openGame, teamMemberCountLimit: 3 }, participation: mates(3) },
      'join.team-full',
    ],
    ['check 9: is allowed for any number of members if the limit is 0', { participation: mates(100) }, undefined],
  ])('%s', (_, changes, expected) => {
    expect(refuseJoin(facts(changes))).toBe(expected)
  })

  test.each([
    ['Pending', undefined],
    ['Rejected', undefined],
    ['Accepted', 'join.division-fixed'],
    ['Suspended', 'join.division-fixed'],
  ] as const)('for a %s team and the name of another division, refuseJoin returns %s', (status, expected) => {
    const participation = { status, division: 'Students', otherMembersJoined: 1, isWaiting: false }
    expect(refuseJoin(facts({ game: divided, request: { organization: 'Open' }, participation }))).toBe(expected)
  })

  test.each([
    ['Pending', 'join.division-fixed'],
    ['Rejected', undefined],
    ['Accepted', 'join.division-fixed'],
    ['Suspended', 'join.division-fixed'],
  ] as const)('for a %s team and the id of another division, refuseJoin returns %s', (status, expected) => {
    const participation = { status, division: 'Students', otherMembersJoined: 1, isWaiting: false }
    expect(refuseJoin(facts({ game: divided, request: { divisionId: 2 }, participation }))).toBe(expected)
  })

  const closed = { id: 3, name: 'Guests', inviteCode: null, permissions: 256 }
  test.each<[string, JoinFacts['request'], 'join.division' | undefined]>([
    ['the id of a division', { divisionId: 2 }, undefined],
    ['an unknown id', { divisionId: 4 }, 'join.division'],
    ['the id rather than the name', { divisionId: 4, organization: 'Open' }, 'join.division'],
    ['the id of a closed division', { divisionId: 3 }, 'join.division'],
    ['the name of a closed division', { organization: 'Guests' }, 'join.division'],
    ['no division', {}, 'join.division'],
  ])('a request for a division is accepted or refused: %s', (_, request, expected) => {
    expect(refuseJoin(facts({ game: { ...divided, divisions: [...divided.divisions, closed] }, request }))).toBe(expected)
  })

  test('joining needs no division if all divisions are closed', () => {
    expect(refuseJoin(facts({ game: { ...openGame, divisions: [closed] } }))).toBeUndefined()
  })

  test('a team mate may join even if the division of the team is closed', () => {
    const participation = { status: 'Accepted', division: 'Guests', otherMembersJoined: 1, isWaiting: false } as const
    const game = { ...divided, divisions: [...divided.divisions, closed] }
    expect(refuseJoin(facts({ game, participation, request: { divisionId: 3 } }))).toBeUndefined()
  })

  test('a request may name the division that the team already has', () => {
    const participation = { status: 'Accepted', division: 'Open', otherMembersJoined: 1, isWaiting: false } as const
    expect(refuseJoin(facts({ game: divided, request: { organization: 'Open' }, participation }))).toBeUndefined()
  })

  test('a team mate may join if the division of the team was removed', () => {
    const participation = { status: 'Accepted', division: 'Removed', otherMembersJoined: 1, isWaiting: false } as const
    expect(refuseJoin(facts({ participation }))).toBeUndefined()
  })

  test('joining returns the first failed check, in the order of the documented table', () => {
    const everythingWrong: JoinFacts = {
      now: over,
      game: { ...divided, inviteCode: 'secret', teamMemberCountLimit: 1 },
      request: {},
      team: { hasCaller: false },
      callerStatus: 'Accepted',
      participation: { status: 'Accepted', division: 'Students', otherMembersJoined: 1, isWaiting: false },
    }
    const repairs: Partial<JoinFacts>[] = [
      {},
      { now: running },
      { request: { inviteCode: 'secret' } },
      { request: { inviteCode: 'secret', organization: 'Open' }, team: undefined },
      { team: { hasCaller: false } },
      { team: { hasCaller: true } },
      { callerStatus: undefined },
      { game: divided },
      { participation: { status: 'Pending', division: 'Students', otherMembersJoined: 1, isWaiting: false } },
    ]
    let current: JoinFacts = everythingWrong
    const answers = repairs.map((repair) => {
      current = { ...current, ...repair }
      return refuseJoin(current)
    })
    expect(answers).toEqual([
      'game.ended',
      'join.code',
      'join.division',
      'team.unknown',
      'team.not-member',
      'join.already',
      'join.team-full',
      'join.division-fixed',
      undefined,
    ])
  })
})

describe('the registration window', () => {
  const opens = new Date('2026-05-01T10:00:00Z')
  const closes = new Date('2026-05-02T10:00:00Z')

  test.each([
    ['just before it opens', -1, opens, 'join.not-open'],
    ['when it opens', 0, opens, undefined],
    ['just after it opens', 1, opens, undefined],
    ['just before it closes', -1, closes, undefined],
    ['when it closes', 0, closes, 'join.closed'],
    ['just after it closes', 1, closes, 'join.closed'],
  ] as const)('the registration window allows or refuses a join %s', (_, ms, instant, refusal) => {
    const now = new Date(instant.getTime() + ms)
    const bounded = { ...openGame, registrationOpensAt: opens, registrationClosesAt: closes }
    expect(refuseJoin({ ...facts({ now }), game: bounded })).toBe(refusal)
    const bound = instant === opens ? { registrationOpensAt: opens } : { registrationClosesAt: closes }
    expect(refuseJoin({ ...facts({ now }), game: { ...openGame, ...bound } })).toBe(refusal)
  })

  test('the registration window is checked before the invitation code', () => {
    const bounded = { ...openGame, inviteCode: 'secret', registrationClosesAt: closes }
    expect(refuseJoin({ ...facts({ now: closes }), game: bounded })).toBe('join.closed')
  })
})

describe('after joining', () => {
  const reviewed = openGame
  const open = { ...openGame, acceptWithoutReview: true }

  test.each([
    ['a new team waits for review', reviewed, undefined, 'Pending'],
    ['a new team is accepted if there is no review', open, undefined, 'Accepted'],
    ['a waiting team still waits', reviewed, mates(1, 'Pending'), 'Pending'],
    ['a waiting team is accepted if there is no review', open, mates(1, 'Pending'), 'Accepted'],
    ['a rejected team waits for review again', reviewed, mates(1, 'Rejected'), 'Pending'],
    ['a rejected team is accepted if there is no review', open, mates(1, 'Rejected'), 'Accepted'],
    ['an accepted team stays accepted', reviewed, mates(1, 'Accepted'), 'Accepted'],
    ['a suspended team stays suspended', reviewed, mates(1, 'Suspended'), 'Suspended'],
    ['a suspended team stays suspended even without a review', open, mates(1, 'Suspended'), 'Suspended'],
  ] as const)('%s', (_, game, participation, status) => {
    expect(getJoinOutcome({ ...facts({ participation }), game })).toEqual({
      status,
      division: null,
      isNew: participation === undefined,
      dropsFormerMembership: false,
    })
  })

  test.each([
    ['with a review, in a game without a review', open, 256 + 4, 'Pending'],
    ['without a review, in a game with a review', reviewed, 256, 'Accepted'],
    ['without stored rights, in a game with a review', reviewed, null, 'Pending'],
    ['without stored rights, in a game without a review', open, null, 'Accepted'],
  ] as const)('the rights of a division decide whether its teams need a review: %s', (_, game, permissions, status) => {
    const divisions = [{ id: 1, name: 'Guests', inviteCode: null, permissions }]
    const joined = { ...facts({ request: { divisionId: 1 } }), game: { ...game, divisions } }
    expect(getJoinOutcome(joined)).toMatchObject({ status, division: 'Guests' })
  })

  test.each([
    ['stays approved', 'Open', 'Open', 'Accepted'],
    ['needs a review in another division', 'Students', 'Open', 'Pending'],
  ] as const)('a team on the waiting list %s when a team mate joins', (_, division, organization, status) => {
    const participation = { status: 'Pending', division, otherMembersJoined: 1, isWaiting: true } as const
    const joined = { ...facts({ participation, request: { organization } }), game: divided }
    expect(getJoinOutcome(joined).status).toBe(status)
  })

  test("the caller's membership of a rejected participation is deleted", () => {
    expect(getJoinOutcome({ ...facts({ callerStatus: 'Rejected' }), game: reviewed }).dropsFormerMembership).toBe(true)
  })

  test.each([
    ['a new team', undefined, 'Open'],
    ['a waiting team', { status: 'Pending', division: 'Students', otherMembersJoined: 1, isWaiting: false }, 'Open'],
    ['a rejected team', { status: 'Rejected', division: 'Students', otherMembersJoined: 0, isWaiting: false }, 'Open'],
    ['an accepted team', { status: 'Accepted', division: 'Open', otherMembersJoined: 1, isWaiting: false }, 'Open'],
  ] as const)('%s that joins gets the requested division', (_, participation, division) => {
    const joined = { ...facts({ participation, request: { organization: 'Open' } }), game: divided }
    expect(getJoinOutcome(joined).division).toBe(division)
  })

  test.each(['Pending', 'Accepted'] as const)('a %s team retains the name of a removed division', (status) => {
    const participation = { status, division: 'Removed', otherMembersJoined: 1, isWaiting: false }
    expect(getJoinOutcome({ ...facts({ participation }), game: reviewed }).division).toBe('Removed')
  })
})

describe('a division that an identity provider names', () => {
  test.each<[string, JoinFacts['request'], readonly string[], unknown]>([
    ['is chosen if the request has none', { inviteCode: 'x' }, ['Students'], { inviteCode: 'x', divisionId: 1 }],
    ['allows the same choice in the request', { organization: 'Students' }, ['Students'], { organization: 'Students' }],
    ['refuses another name', { organization: 'Open' }, ['Students'], 'join.provider-division'],
    ['refuses another id', { divisionId: 2 }, ['Students'], 'join.provider-division'],
    ['may be one of two, and either can be chosen', { divisionId: 2 }, ['Students', 'Open'], { divisionId: 2 }],
    ['is not chosen automatically if there are two', {}, ['Students', 'Open'], {}],
    [
      'does not refuse an unknown choice, which the other checks refuse',
      { organization: 'Guests' },
      ['Students'],
      { organization: 'Guests' },
    ],
    ['is ignored if the game does not have it', { organization: 'Open' }, ['Staff'], { organization: 'Open' }],
    ['is compared with regard to case', { organization: 'Open' }, ['students'], { organization: 'Open' }],
  ])('%s', (_, request, named, expected) => {
    expect(assignProviderDivision(divided, request, named)).toEqual(expected)
  })
})
