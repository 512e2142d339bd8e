import { randomUUID } from 'node:crypto'
import { users } from '@capstan/db/schema/accounts'
import { certificateTemplates } from '@capstan/db/schema/games'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { aSession, aTeam, aUser } from '../factories.ts'
import { aChallenge, aGame, aNotice, anAssignment, aParticipation, aSubmission } from '../organizing-factories.ts'
import { aQuestion } from '../questions.ts'

const minuteMs = 60_000

/** Teams of the game. `late` and `later` join after the freeze, and `pending` is accepted after the freeze. */
const teamNames = ['calm', 'active', 'first', 'second', 'third', 'leaver', 'late', 'later', 'pending'] as const
export type TeamName = (typeof teamNames)[number]

/** Challenges of the game. Only the team `first` unlocks `cellar`. `braid` has two flags to find. */
const challengeNames = ['rope', 'knot', 'hitch', 'splice', 'vault', 'attic', 'cellar', 'braid'] as const
export type ChallengeName = (typeof challengeNames)[number]

function recordOf<Name extends string, Value>(names: readonly Name[], values: readonly Value[]): Record<Name, Value> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]])) as Record<Name, Value>
}

export function flagOfChallenge(challenge: ChallengeName, team: TeamName): string {
  if (challenge === 'braid') return 'flag{braid.1}'
  return challenge === 'splice' ? `flag{splice.${team}}` : `flag{${challenge}}`
}

/**
 * Creates a database that the platforms of a test copy. It contains a game right before its freeze, a full game with the same
 * freeze, and a game without a freeze. The database's clock is past the freeze, so each later change happens after the freeze.
 */
export async function createFrozenWorld({ isFrozen }: { readonly isFrozen: boolean }) {
  const database = await createTestDatabase()
  const { db, sql } = database
  const people = {
    admin: await aUser(db, { userName: 'admin', role: 'Admin' }),
    monitor: await aUser(db, { userName: 'monitor', role: 'Monitor' }),
    outsider: await aUser(db, { userName: 'outsider' }),
    mate: await aUser(db, { userName: 'mate' }),
  }
  const deckhand = await aUser(db, { userName: 'deckhand' })
  const question = aQuestion({ title: 'Diet' })
  const game = await aGame(db, {
    title: 'Harbour',
    teamLimit: 20,
    acceptWithoutReview: true,
    writeupRequired: true,
    practiceMode: true,
    questions: [question],
    divisions: [{ name: 'open' }, { name: 'student' }],
  })
  const values = { gameId: game.id, points: 500, minimumShare: 0.1, decay: 1 }
  const [hintId, expensiveHintId] = [randomUUID(), randomUUID()]
  const rope = await aChallenge(db, {
    ...{ ...values, title: 'Rope', flags: [flagOfChallenge('rope', 'calm')] },
    pricedHints: [
      { id: hintId, text: 'Pull.', price: 20, place: 0 },
      { id: expensiveHintId, text: 'Push.', price: 500, place: 1 },
    ],
  })
  const knot = await aChallenge(db, { ...values, title: 'Knot', flags: [flagOfChallenge('knot', 'calm')] })
  const container = { ...values, containerImage: 'harbour/hitch' }
  const hitch = await aChallenge(db, {
    ...container,
    title: 'Hitch',
    type: 'StaticContainer',
    flags: [flagOfChallenge('hitch', 'calm')],
  })
  const splice = await aChallenge(db, { ...container, title: 'Splice', type: 'DynamicContainer', flagTemplate: 'flag{[GUID]}' })
  const rule = { after: [], count: null, points: null, locked: 'Shown' as const }
  const vault = await aChallenge(db, {
    ...{ ...values, title: 'Vault', flags: [flagOfChallenge('vault', 'calm')] },
    unlockRule: { ...rule, points: 450 },
  })
  const attic = await aChallenge(db, {
    ...{ ...values, title: 'Attic', flags: [flagOfChallenge('attic', 'calm')] },
    unlockRule: { ...rule, after: [knot.id], locked: 'Hidden' },
  })
  const cellar = await aChallenge(db, {
    ...{ ...values, title: 'Cellar', flags: [flagOfChallenge('cellar', 'calm')] },
    unlockRule: { ...rule, after: [hitch.id], locked: 'Hidden' },
  })
  const braid = await aChallenge(db, { ...values, title: 'Braid', flags: [flagOfChallenge('braid', 'calm'), 'flag{braid.2}'] })
  await sql`update flags set points = 30 where challenge_id = ${braid.id}`
  const challenges = recordOf(challengeNames, [rope, knot, hitch, splice, vault, attic, cellar, braid])
  await db.insert(certificateTemplates).values({ gameId: game.id, isEnabled: true, title: 'Certificate', text: '{rank}' })
  const full = await aGame(db, { title: 'Quay', teamLimit: 1 })
  const open = await aGame(db, { title: 'Lagoon', acceptWithoutReview: true })
  const islet = await aChallenge(db, { gameId: open.id, title: 'Islet', flags: ['flag{islet}'] })

  const teams = {} as Record<TeamName, Readonly<{ id: number; captainId: string; session: string; participationId: number }>>
  for (const [index, name] of teamNames.entries()) {
    const captain = await aUser(db, { userName: `${name}-captain` })
    const memberIds = name === 'active' ? [people.mate.id] : []
    const team = await aTeam(db, { name, captainId: captain.id, memberIds, hasPublicPage: name !== 'late' })
    const session = await aSession(db, captain.id)
    const known = { id: team.id, captainId: captain.id, session, participationId: 0 }
    teams[name] = known
    if (name === 'late' || name === 'later') continue
    const participation = await aParticipation(db, {
      ...{ gameId: game.id, teamId: team.id, memberIds: [captain.id, ...memberIds] },
      status: name === 'pending' ? 'Pending' : 'Accepted',
      division: index % 2 === 0 ? 'open' : 'student',
    })
    teams[name] = { ...known, participationId: participation.id }
    if (name === 'pending') continue
    await sql`update teams set locked = true where id = ${team.id}`
    for (const challenge of challengeNames) {
      const flag = challenge === 'splice' ? { flag: flagOfChallenge('splice', name) } : {}
      await anAssignment(db, { participationId: participation.id, challengeId: challenges[challenge].id, ...flag })
    }
    if (name === 'active') {
      const here = await aParticipation(db, { gameId: open.id, teamId: team.id, memberIds: [captain.id] })
      await anAssignment(db, { participationId: here.id, challengeId: islet.id })
    }
    if (name === 'active') continue
    const submittedAt = new Date(game.startsAt.getTime() + (index + 1) * minuteMs)
    const attempt = { userId: captain.id, submittedAt }
    await aSubmission(db, participation, hitch.id, { ...attempt, answer: 'flag{wrong}' })
    if (name !== 'second') await aSubmission(db, participation, rope.id, { ...attempt, solve: true })
  }
  const { first, calm, third, leaver } = teams
  for (const [type, team] of [
    ['FirstBlood', calm],
    ['SecondBlood', first],
    ['ThirdBlood', third],
  ] as const)
    await aNotice(db, {
      ...{ gameId: game.id, type, values: [], challengeId: rope.id, teamId: team.id },
      publishedAt: new Date(game.startsAt.getTime() + minuteMs),
    })
  await aNotice(db, { gameId: game.id })
  await aParticipation(db, { gameId: full.id, teamId: third.id })
  for (const { id } of [leaver, calm])
    await aParticipation(db, { gameId: full.id, teamId: id, status: 'Pending', isWaiting: true })
  const deserted = await aTeam(db, { name: 'deserted', memberIds: [deckhand.id], locked: true })
  const left = await aParticipation(db, { gameId: game.id, teamId: deserted.id, memberIds: [deckhand.id], division: 'open' })
  await aSubmission(db, left, splice.id, { userId: deckhand.id, submittedAt: game.startsAt, solve: true })
  const sessions = {
    admin: await aSession(db, people.admin.id),
    monitor: await aSession(db, people.monitor.id),
    outsider: await aSession(db, people.outsider.id),
    mate: await aSession(db, people.mate.id),
    deckhand: await aSession(db, deckhand.id),
  }
  const [row] = await sql<{ freeze: string }[]>`
    select date_trunc('milliseconds', clock_timestamp()) + interval '2 ms' as freeze, pg_sleep(0.01)`
  const freeze = new Date(row!.freeze)
  if (isFrozen) await sql`update games set freeze_at = ${freeze.toISOString()} where id in (${game.id}, ${full.id})`
  const userIds = (await db.select({ id: users.id }).from(users)).map(({ id }) => id).filter((id) => id !== deckhand.id)
  await database.disconnect()
  return {
    ...{ database, isFrozen, game, full, open, islet, challenges, teams, sessions, question, freeze, userIds },
    ...{ hintId, expensiveHintId, deserted: { id: deserted.id, participationId: left.id } },
  }
}

export type FrozenWorld = Awaited<ReturnType<typeof createFrozenWorld>>
