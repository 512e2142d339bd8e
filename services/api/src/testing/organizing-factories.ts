import type { FlagRule } from '@capstan/contract/challenges'
import type { GamePhase } from '@capstan/contract/phases'
import type { Database } from '@capstan/db/client'
import { assignments, attachments, challenges, cheats, flags, solves, submissions } from '@capstan/db/schema/challenges'
import { divisions, games, participationMembers, participations } from '@capstan/db/schema/games'
import { captures, instances } from '@capstan/db/schema/instances'
import { events, notices } from '@capstan/db/schema/news'
import { teams } from '@capstan/db/schema/teams'
import { eq } from 'drizzle-orm'
import { createGameKeys } from '../rules/signing/game-keys.ts'
import { cryptoRandom } from '../rules/signing/random.ts'
import { aTeam } from './factories.ts'

const hourMs = 3600_000

type GameInput = Partial<typeof games.$inferInsert> & {
  divisions?: { name: string; inviteCode?: string | null; permissions?: number }[]
}

/** Inserts a game that is in the given phase. By default it runs from one hour ago to one hour from now. */
export async function aGame(db: Database, values: GameInput & { phase?: GamePhase } = {}) {
  const { divisions: list = [], phase = 'running', ...columns } = values
  const offsetMs = { upcoming: hourMs, running: -hourMs, ended: -3 * hourMs }[phase]
  const startsAt = new Date(Date.now() + offsetMs)
  const [game] = await db
    .insert(games)
    .values({
      title: 'A game',
      startsAt,
      endsAt: new Date(startsAt.getTime() + 2 * hourMs),
      writeupDeadline: new Date(startsAt.getTime() + 2 * hourMs),
      ...createGameKeys('for development only', cryptoRandom),
      ...columns,
    })
    .returning()
  if (list.length > 0)
    await db.insert(divisions).values(list.map((division, position) => ({ gameId: game!.id, position, ...division })))
  return game!
}

/** Inserts a challenge, by default in a new game. */
export async function aChallenge(
  db: Database,
  values: Partial<typeof challenges.$inferInsert> & { flags?: string[]; rules?: readonly FlagRule[] } = {},
) {
  const { flags: list = [], rules = [], ...columns } = values
  const gameId = columns.gameId ?? (await aGame(db)).id
  const [challenge] = await db
    .insert(challenges)
    .values({ title: 'A challenge', category: 'Misc', type: 'StaticAttachment', isEnabled: true, ...columns, gameId })
    .returning()
  if (list.length > 0) await db.insert(flags).values(list.map((flag) => ({ challengeId: challenge!.id, flag })))
  if (rules.length > 0) await db.insert(flags).values(rules.map((rule) => ({ challengeId: challenge!.id, ...rule })))
  return challenge!
}

/** Inserts an accepted team of a game. If `memberIds` is absent, the captain is the only member who joined. */
export async function aParticipation(
  db: Database,
  values: Partial<typeof participations.$inferInsert> & { memberIds?: string[] } = {},
) {
  const { memberIds, ...columns } = values
  const gameId = columns.gameId ?? (await aGame(db)).id
  const teamId = columns.teamId ?? (await aTeam(db)).id
  const [participation] = await db
    .insert(participations)
    .values({ status: 'Accepted', token: `${teamId}:token`, ...columns, gameId, teamId })
    .returning()
  const [team] = await db.select().from(teams).where(eq(teams.id, teamId))
  const joined = memberIds ?? [team!.captainId]
  if (joined.length > 0)
    await db.insert(participationMembers).values(joined.map((userId) => ({ participationId: participation!.id, gameId, userId })))
  return { ...participation!, team: team! }
}

type ParticipationRef = Pick<typeof participations.$inferSelect, 'id' | 'gameId' | 'teamId'>

/** Inserts a submission of a participation, and also a solve if `solve` is true. */
export async function aSubmission(
  db: Database,
  participation: ParticipationRef,
  challengeId: number,
  values: Partial<typeof submissions.$inferInsert> & { solve?: boolean } = {},
) {
  const { solve = false, ...columns } = values
  const [submission] = await db
    .insert(submissions)
    .values({
      gameId: participation.gameId,
      challengeId,
      participationId: participation.id,
      teamId: participation.teamId,
      answer: 'flag{guess}',
      status: solve ? 'Accepted' : 'WrongAnswer',
      submittedAt: new Date(),
      ...columns,
    })
    .returning()
  if (solve)
    await db.insert(solves).values({
      gameId: participation.gameId,
      challengeId,
      participationId: participation.id,
      submissionId: submission!.id,
      userId: submission!.userId,
      solvedAt: submission!.submittedAt,
    })
  return submission!
}

export async function anAssignment(db: Database, values: typeof assignments.$inferInsert) {
  const [assignment] = await db.insert(assignments).values(values).returning()
  return assignment!
}

export async function aCheat(db: Database, values: typeof cheats.$inferInsert) {
  const [cheat] = await db.insert(cheats).values(values).returning()
  return cheat!
}

export async function aNotice(db: Database, values: Partial<typeof notices.$inferInsert> & { gameId: number }) {
  const [notice] = await db
    .insert(notices)
    .values({ type: 'Normal', values: ['Hello'], ...values })
    .returning()
  return notice!
}

export async function anEvent(db: Database, values: Partial<typeof events.$inferInsert> & { gameId: number }) {
  const [event] = await db
    .insert(events)
    .values({ type: 'Normal', values: ['Something'], ...values })
    .returning()
  return event!
}

/** Inserts a live instance of a participation. Without a participation it is a test instance. */
export async function anInstance(
  db: Database,
  values: Partial<typeof instances.$inferInsert> & { gameId: number; challengeId: number },
) {
  const [instance] = await db
    .insert(instances)
    .values({
      ...{ image: 'demo', status: 'Running', host: '10.0.0.1', port: 80 },
      ...{ expiresAt: new Date(Date.now() + hourMs), answeredAt: new Date() },
      ...values,
    })
    .returning()
  return instance!
}

export async function aCapture(
  db: Database,
  values: Partial<typeof captures.$inferInsert> & { challengeId: number; participationId: number; fileName: string },
) {
  const [capture] = await db
    .insert(captures)
    .values({ sizeBytes: 0, ...values })
    .returning()
  return capture!
}

export async function anAttachment(db: Database, values: typeof attachments.$inferInsert) {
  const [attachment] = await db.insert(attachments).values(values).returning()
  return attachment!
}
