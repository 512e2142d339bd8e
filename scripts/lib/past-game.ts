import { randomUUID } from 'node:crypto'
import { dummyHash } from '@capstan/api/people/accounts/password'
import { createGameKeys, openGameKey } from '@capstan/api/rules/signing/game-keys'
import { cryptoRandom } from '@capstan/api/rules/signing/random'
import { signTeamToken } from '@capstan/api/rules/signing/team-token'
import type { Database, Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { assignments, challenges, flags } from '@capstan/db/schema/challenges'
import { divisions, games, participationMembers, participations } from '@capstan/db/schema/games'
import { notices } from '@capstan/db/schema/news'
import { teamMembers, teams } from '@capstan/db/schema/teams'
import { makeSubmissionHistory } from '../data/history.ts'
import { insertSubmissionHistory } from '../data/history-rows.ts'
import { seededRandom } from '../data/random.ts'

const hourMs = 3_600_000
const lengthMs = 12 * hourMs
const endedAgoMs = 36 * hourMs

/** Teams with their members. The first member is the captain. */
const crews: Readonly<Record<string, readonly string[]>> = {
  'Bilge Rats': ['marlow', 'tamsin', 'oduya'],
  'Segfault Sailors': ['hexley', 'nadira', 'quill', 'bo_larsen'],
  'Null Island': ['peregrine', 'zuzana'],
  'Salty Hashes': ['rainbow_t', 'imani', 'kestrel'],
  'Dead Reckoning': ['ysolde', 'fennick', 'arjun_k', 'tilly'],
  'Stack Overboard': ['rsp_and_rip', 'mirela'],
  'Die Lotsen': ['hinnerk', 'swantje', 'ole_b'],
  'Los Fareros': ['candela', 'nicanor', 'itziar'],
  'Équipage Bleu': ['maelys', 'corentin'],
  'Rope Gadgets': ['popret', 'lasse', 'yewande', 'ivo'],
  'Морской узел': ['polina_m', 'timofey'],
  'Kraken Open': ['tentacle', 'brisa'],
  'Port Unreachable': ['icmp_type3', 'halvard', 'noor'],
  'Two Left Oars': ['pim', 'dagny'],
  'Heap of Herring': ['free_twice', 'solveig', 'ansel'],
  'Sea Minus Minus': ['undefined_b', 'carys'],
  'Byte the Buoy': ['lowell', 'esperanza', 'kofi'],
  'Fog Signal': ['morse_lee', 'winifred'],
  Ballast: ['tonnage', 'rhea'],
  'Null Pinters': ['hopwood'],
  'Tidal Locks': ['oriel', 'bram', 'keziah'],
  'Marina del Rop': ['lucho', 'pilar'],
  'The Cabin Boys': ['newt', 'jory', 'elspeth'],
  'Shore Leave': ['barnaby'],
}

/** Challenges in order of difficulty, with the easiest first. */
const tasks = [
  ['Misc', 'Stowaway List', 100],
  ['Web', 'Chart Room Guestbook', 200],
  ['OSINT', 'Which Lighthouse?', 200],
  ['Crypto', 'Signal Book, 1857', 250],
  ['Forensics', 'Wet Memory Card', 300],
  ['Web', 'The Purser’s Ledger', 400],
  ['Reverse', 'Clockwork Sextant', 400],
  ['PPC', 'Packing the Hold', 450],
  ['Misc', 'Knots and Crosses', 450],
  ['Crypto', 'Two Keys, One Chest', 500],
  ['Pwn', 'Bosun’s Whistle', 500],
  ['Hardware', 'Depth Gauge Dump', 600],
  ['Reverse', 'Figurehead', 700],
  ['Pwn', 'Below Decks', 800],
  ['Crypto', 'Lattice of Rigging', 900],
  ['Pwn', 'Kraken in the Heap', 1000],
] as const

function flagOf(_crew: number, task: number): string {
  return `flag{past-regatta-${task + 1}}`
}

async function insertCrews(db: Executor) {
  // Hash that no password matches, so that these users cannot log in.
  const passwordHash = dummyHash
  const people = Object.values(crews).map((names) => names.map((userName) => ({ id: randomUUID(), userName })))
  await db
    .insert(users)
    .values(
      people
        .flat()
        .map(({ id, userName }) => ({ id, userName, email: `${userName}@example.org`, passwordHash, emailConfirmed: true })),
    )
  const rows = Object.keys(crews).map((name, crew) => ({
    name,
    captainId: people[crew]?.[0]?.id ?? '',
    inviteToken: cryptoRandom.hex(16),
  }))
  const ids = await db.insert(teams).values(rows).returning({ id: teams.id })
  const crewList = rows.map(({ name }, crew) => ({
    teamId: ids[crew]?.id ?? 0,
    teamName: name,
    userIds: (people[crew] ?? []).map(({ id }) => id),
  }))
  const memberships = crewList.flatMap(({ teamId, userIds }) => userIds.map((userId) => ({ teamId, userId })))
  await db.insert(teamMembers).values(memberships)
  return crewList
}

async function insertGame(db: Executor, secretKey: string, startsAt: Date) {
  const keys = createGameKeys(secretKey, cryptoRandom)
  const endsAt = new Date(startsAt.getTime() + lengthMs)
  const [game] = await db
    .insert(games)
    .values({
      title: 'Winter Regatta',
      summary: 'Twelve hours, sixteen tasks, twenty-four crews. It is over: see how it went.',
      content:
        'The regatta was sailed before you came. Its scoreboard, events and submissions are here to look at; nobody can join.',
      acceptWithoutReview: true,
      practiceMode: false,
      startsAt,
      endsAt,
      writeupDeadline: endsAt,
      ...keys,
    })
    .returning({ id: games.id })
  if (!game) throw new Error('The past game was not stored')
  await db.insert(divisions).values(['Open Water', 'Cadets'].map((name, position) => ({ gameId: game.id, name, position })))
  await db.insert(notices).values({
    gameId: game.id,
    type: 'Normal',
    values: ['The start line is open. Fair winds to all crews.'],
    publishedAt: startsAt,
  })
  return { id: game.id, key: openGameKey(keys, secretKey) }
}

async function insertTasks(db: Executor, gameId: number) {
  const rows = tasks.map(([category, title, points]) => ({
    gameId,
    title,
    category,
    points,
    content: 'This task went home with the regatta.',
    type: 'StaticAttachment' as const,
    isEnabled: true,
  }))
  const ids = await db.insert(challenges).values(rows).returning({ id: challenges.id })
  const list = rows.map(({ title }, task) => ({ id: ids[task]?.id ?? 0, title }))
  await db.insert(flags).values(list.map(({ id }, task) => ({ challengeId: id, flag: flagOf(0, task) })))
  return list
}

/**
 * Stores a finished game, so that the scoreboard and the monitor pages immediately have data. The users of the game cannot log in.
 * Does nothing if users other than the first admin exist.
 * @param secretKey key with which the api encrypts private keys of games
 */
export function insertPastGame(database: Database, secretKey: string): Promise<void> {
  return database.transaction(async (db) => {
    if ((await db.$count(users)) > 1) return
    const startsAt = new Date(Date.now() - endedAgoMs - lengthMs)
    const game = await insertGame(db, secretKey, startsAt)
    const crewList = await insertCrews(db)
    const taskList = await insertTasks(db, game.id)
    const rows = crewList.map(({ teamId }, crew) => ({
      gameId: game.id,
      teamId,
      status: 'Accepted' as const,
      division: crew % 3 === 2 ? 'Cadets' : 'Open Water',
      token: signTeamToken(teamId, game.key),
    }))
    const ids = await db.insert(participations).values(rows).returning({ id: participations.id })
    const players = crewList.map((crew, index) => ({ ...crew, participationId: ids[index]?.id ?? 0 }))
    const aboard = players.flatMap(({ participationId, userIds }) =>
      userIds.map((userId) => ({ gameId: game.id, participationId, userId })),
    )
    await db.insert(participationMembers).values(aboard)
    const handed = players.flatMap(({ participationId }) => taskList.map(({ id }) => ({ participationId, challengeId: id })))
    await db.insert(assignments).values(handed)
    const history = makeSubmissionHistory(players.length, taskList.length, seededRandom(1_857))
    await insertSubmissionHistory(db, history, {
      gameId: game.id,
      startsAt,
      playedMs: lengthMs,
      players,
      challenges: taskList,
      flagOf,
    })
  })
}
