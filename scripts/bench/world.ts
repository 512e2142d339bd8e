import { randomUUID } from 'node:crypto'
import { createPasswords } from '@capstan/api/people/accounts/password'
import { createGameKeys, openGameKey } from '@capstan/api/rules/signing/game-keys'
import { cryptoRandom } from '@capstan/api/rules/signing/random'
import { signTeamToken } from '@capstan/api/rules/signing/team-token'
import { plainCookieName } from '@capstan/api/server/sessions/session-cookie'
import { createSessionToken, hashToken } from '@capstan/api/server/sessions/session-token'
import { ChallengeCategory } from '@capstan/contract/challenges'
import type { Database } from '@capstan/db/client'
import { sessions, users } from '@capstan/db/schema/accounts'
import { assignments, challenges, flags } from '@capstan/db/schema/challenges'
import { divisions, games, participationMembers, participations } from '@capstan/db/schema/games'
import { teamMembers, teams } from '@capstan/db/schema/teams'
import { makeHistory } from '../data/history.ts'
import { insertHistory } from '../data/history-rows.ts'
import { inBatches } from '../data/in-batches.ts'
import { seededRandom } from '../data/random.ts'

/** A team as the load plays it: signed in as its captain. */
type Player = Readonly<{
  teamId: number
  participationId: number
  userName: string
  /** The team's members, the captain first. */
  userIds: readonly string[]
  /** Ready for a Cookie header. */
  cookie: string
}>

type BenchChallenge = Readonly<{
  id: number
  title: string
  /** Undefined: every team has its own flag. */
  flag: string | undefined
}>

/** The game that the load is put on. */
export type World = Readonly<{
  gameId: number
  players: readonly Player[]
  challenges: readonly BenchChallenge[]
  /** Of everybody. */
  password: string
  passwordHash: string
  /** Right answer of a team, by indexes. */
  flagOf(player: number, challenge: number): string
  hasSolved(player: number, challenge: number): boolean
}>

export type WorldSize = Readonly<{
  teams: number
  challenges: number
  /** Absent: as many as come of so many teams and challenges. */
  submissions?: number
}>

export const worldSizes = {
  usual: { teams: 500, challenges: 50 },
  big: { teams: 5_000, challenges: 100 },
} as const satisfies Record<string, WorldSize>

const membersPerTeam = 3
const hourMs = 3_600_000

function teamName(team: number): string {
  return `Team ${team + 1}`
}
/** One of four challenges gives each team a flag of its own. */
function isDynamic(challenge: number): boolean {
  return challenge % 4 === 3
}
function dynamicFlag(team: number, challenge: number): string {
  return `flag{${team}-own-flag-of-${challenge}}`
}

/** People and their teams, and a session for each captain. */
async function insertTeams(db: Database, passwordHash: string, teamCount: number): Promise<Omit<Player, 'participationId'>[]> {
  const people = Array.from({ length: teamCount * membersPerTeam }, (_, index) => {
    const userName = `player${String(index).padStart(5, '0')}`
    return { id: randomUUID(), userName, email: `${userName}@example.org`, passwordHash, emailConfirmed: true }
  })
  await inBatches(people, (batch) => db.insert(users).values(batch))
  const groups = Array.from({ length: teamCount }, (_, index) =>
    people.slice(index * membersPerTeam, (index + 1) * membersPerTeam),
  )
  const teamIds = await inBatches(
    groups.map(([captain], index) => ({
      name: teamName(index),
      bio: `The people behind number ${index + 1}, from somewhere between two harbours`,
      captainId: captain?.id ?? '',
      inviteToken: randomUUID().replaceAll('-', ''),
      locked: true,
    })),
    (batch) => db.insert(teams).values(batch).returning({ id: teams.id }),
  )
  const list = groups.map((members, index) => ({
    teamId: teamIds[index]?.id ?? 0,
    userName: members[0]?.userName ?? '',
    userIds: members.map(({ id }) => id),
    token: createSessionToken(),
  }))
  const memberships = list.flatMap(({ teamId, userIds }) => userIds.map((userId) => ({ teamId, userId })))
  await inBatches(memberships, (batch) => db.insert(teamMembers).values(batch))
  const expiresAt = new Date(Date.now() + 7 * 24 * hourMs)
  const sessionRows = list.map(({ token, userIds }) => ({ tokenHash: hashToken(token), userId: userIds[0] ?? '', expiresAt }))
  await inBatches(sessionRows, (batch) => db.insert(sessions).values(batch))
  return list.map(({ token, ...team }) => ({ ...team, cookie: `${plainCookieName}=${token}` }))
}

/** A game that began a day ago and goes on for another. */
async function insertGame(db: Database, secretKey: string) {
  const nowMs = Date.now()
  const keys = createGameKeys(secretKey, cryptoRandom)
  const startsAt = new Date(nowMs - 24 * hourMs)
  const [game] = await db
    .insert(games)
    .values({
      title: 'Bench',
      acceptWithoutReview: true,
      startsAt,
      endsAt: new Date(nowMs + 24 * hourMs),
      writeupDeadline: new Date(nowMs + 48 * hourMs),
      ...keys,
    })
    .returning({ id: games.id })
  if (!game) throw new Error('The game was not stored')
  await db.insert(divisions).values(['Students', 'Open'].map((name, position) => ({ gameId: game.id, name, position })))
  return { id: game.id, startsAt, key: openGameKey(keys, secretKey) }
}

async function insertChallenges(db: Database, gameId: number, challengeCount: number): Promise<BenchChallenge[]> {
  const rows = Array.from({ length: challengeCount }, (_, index) => ({
    gameId,
    title: `Challenge number ${index + 1}`,
    content: `The ${index + 1}th of ${challengeCount}. `.repeat(20),
    category: ChallengeCategory.enum[index % ChallengeCategory.enum.length] ?? 'Misc',
    type: isDynamic(index) ? ('DynamicContainer' as const) : ('StaticAttachment' as const),
    flagTemplate: isDynamic(index) ? 'flag{[TEAM_HASH]}' : null,
    containerImage: isDynamic(index) ? 'example.org/challenge:1' : '',
    isEnabled: true,
    hints: index % 3 === 0 ? ['Look at the tide tables'] : [],
    originalScore: 500 + (index % 3) * 250,
  }))
  const ids = await inBatches(rows, (batch) => db.insert(challenges).values(batch).returning({ id: challenges.id }))
  const list = rows.map(({ title }, index) => ({
    id: ids[index]?.id ?? 0,
    title,
    flag: isDynamic(index) ? undefined : `flag{the-only-one-of-${index}}`,
  }))
  const flagRows = list.flatMap(({ id, flag }) => (flag === undefined ? [] : [{ challengeId: id, flag }]))
  await inBatches(flagRows, (batch) => db.insert(flags).values(batch))
  return list
}

/** Every team plays, every member joined, every team has its own flag of the dynamic challenges. @returns their numbers */
async function insertParticipations(
  db: Database,
  game: { readonly id: number; readonly key: Uint8Array },
  list: readonly Omit<Player, 'participationId'>[],
  challengeList: readonly BenchChallenge[],
): Promise<number[]> {
  const rows = list.map(({ teamId }, index) => ({
    gameId: game.id,
    teamId,
    status: 'Accepted' as const,
    division: [null, 'Students', 'Open'][index % 3] ?? null,
    token: signTeamToken(teamId, game.key),
  }))
  const inserted = await inBatches(rows, (batch) => db.insert(participations).values(batch).returning({ id: participations.id }))
  const ids = inserted.map(({ id }) => id)
  const members = list.flatMap(({ userIds }, team) =>
    userIds.map((userId) => ({ participationId: ids[team] ?? 0, gameId: game.id, userId })),
  )
  await inBatches(members, (batch) => db.insert(participationMembers).values(batch))
  const pairs = ids.flatMap((participationId, team) =>
    challengeList.map(({ id, flag }, challenge) => ({
      participationId,
      challengeId: id,
      flag: flag === undefined ? dynamicFlag(team, challenge) : null,
    })),
  )
  await inBatches(pairs, (batch) => db.insert(assignments).values(batch))
  return ids
}

/** Wrong answers by all teams in turn, with their events, over the time that was played. */
async function addWrongAnswers(db: Database, gameId: number, count: number): Promise<void> {
  await db.execute(`
    with teams as (select id, team_id, row_number() over (order by id) - 1 as place from participations where game_id = ${gameId}),
      tasks as (select id, title, row_number() over (order by id) - 1 as place from challenges where game_id = ${gameId}),
      tries as (select generate_series(0, ${count - 1}) as number),
      rows as (
        select tries.number, teams.id as participation_id, teams.team_id, tasks.id as challenge_id, tasks.title,
          now() - interval '24 hours' * (1 - tries.number::float / ${count}) as at
        from tries
        join teams on teams.place = tries.number % (select count(*) from teams)
        join tasks on tasks.place = (tries.number / (select count(*) from teams)) % (select count(*) from tasks)),
      stored as (
        insert into submissions (game_id, challenge_id, participation_id, team_id, answer, status, submitted_at)
        select ${gameId}, challenge_id, participation_id, team_id, 'flag{a-guess-' || number || '}', 'WrongAnswer', at from rows)
    insert into events (game_id, type, values, occurred_at, team_id)
    select ${gameId}, 'FlagSubmit', array['WrongAnswer', 'flag{a-guess-' || number || '}', title, challenge_id::text], at, team_id
    from rows`)
}

/**
 * Puts a game, a day old, straight into the database.
 * @param secretKey the api's, which private game keys are sealed with
 */
export async function createWorld(
  db: Database,
  secretKey: string,
  { teams: teamCount, challenges: challengeCount, submissions: wanted }: WorldSize = worldSizes.usual,
): Promise<World> {
  const password = 'Capstan1'
  const passwordHash = await createPasswords().hash(password)
  const list = await insertTeams(db, passwordHash, teamCount)
  const game = await insertGame(db, secretKey)
  const challengeList = await insertChallenges(db, game.id, challengeCount)
  const participationIds = await insertParticipations(db, game, list, challengeList)
  const players = list.map((player, index) => ({ ...player, participationId: participationIds[index] ?? 0 }))
  const flagOf = (player: number, challenge: number) => challengeList[challenge]?.flag ?? dynamicFlag(player, challenge)
  const random = seededRandom(2_026)
  const natural = makeHistory(teamCount, challengeCount, random)
  const history = wanted === undefined ? natural : natural.filter(() => random() * natural.length < wanted)
  await insertHistory(db, history, {
    gameId: game.id,
    startsAt: game.startsAt,
    playedMs: 24 * hourMs - 60_000,
    players: players.map((player, index) => ({ ...player, teamName: teamName(index) })),
    challenges: challengeList,
    flagOf,
  })
  if (wanted !== undefined && history.length < wanted) await addWrongAnswers(db, game.id, wanted - history.length)
  // What autovacuum would do at a moment of its own choosing.
  await db.execute('analyze')

  const keyOf = (player: number, challenge: number) => player * challengeCount + challenge
  const solved = new Set(history.filter(({ isRight }) => isRight).map(({ team, challenge }) => keyOf(team, challenge)))
  return {
    gameId: game.id,
    players,
    challenges: challengeList,
    password,
    passwordHash,
    flagOf,
    hasSolved: (player, challenge) => solved.has(keyOf(player, challenge)),
  }
}
