import type { BloodPoints } from '@capstan/contract/blood'
import type { DivisionRight } from '@capstan/contract/division-rights'
import type { ScoreCurve } from '@capstan/contract/score'
import type { FlagProgress, FoundFlag } from '@capstan/contract/submissions'
import type { Executor } from '@capstan/db/client'
import { divisionRightCondition } from '@capstan/db/division-right'
import { users } from '@capstan/db/schema/accounts'
import { assignments, attachments, challenges, flags, foundFlags, solves, submissions } from '@capstan/db/schema/challenges'
import { games, participationMembers, participations } from '@capstan/db/schema/games'
import { instances } from '@capstan/db/schema/instances'
import { files } from '@capstan/db/schema/platform'
import { and, asc, count, desc, eq, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import { type AssignmentKey, keyOfAssignment } from '../../instances/team-flags/service.ts'
import { listFlagsToFind, type StoredFlagRule } from '../../rules/flags/parts.ts'
import { groupFlagsByKind } from '../../rules/flags/rules.ts'

export type OwnSubmission = Pick<typeof submissions.$inferSelect, 'challengeId' | 'participationId' | 'status'>

/** Submission that a player refers to, with the ids of its game and challenge. */
export type OwnSubmissionKey = Pick<typeof submissions.$inferSelect, 'gameId' | 'challengeId' | 'number'> &
  Readonly<{ userId: string }>

/** Returns the cache key of a submission. */
export function keyOfOwnSubmission({ gameId, challengeId, userId, number }: OwnSubmissionKey): string {
  return `${gameId} ${challengeId} ${userId} ${number}`
}

export type ChallengeRow = typeof challenges.$inferSelect
export type InstanceRow = typeof instances.$inferSelect

const attachmentColumns = {
  id: attachments.id,
  type: attachments.type,
  fileHash: attachments.fileHash,
  fileName: attachments.fileName,
  remoteUrl: attachments.remoteUrl,
}

/** SQL condition that selects the solves of submissions. The text of the statement does not depend on their number. */
function isSolveOf(submissionIds: readonly number[]): SQL {
  return sql`${solves.submissionId} = any(array(select json_array_elements_text(${JSON.stringify(submissionIds)}::json)::integer))`
}

/** @returns undefined if the challenge does not exist */
export async function findChallenge(db: Executor, id: number) {
  const [row] = await db
    .select({
      challenge: challenges,
      attachment: { ...attachmentColumns, sizeBytes: files.sizeBytes },
      flags: sql<StoredFlagRule[]>`(
        select coalesce(json_agg(json_build_object('id', flags.id, 'flag', flags.flag, 'kind', flags.kind, 'points', flags.points)), '[]')
        from flags
        where flags.challenge_id = ${challenges.id} and ${challenges.type} like 'Static%')`,
    })
    .from(challenges)
    .leftJoin(attachments, eq(attachments.id, challenges.attachmentId))
    .leftJoin(files, eq(files.hash, attachments.fileHash))
    .where(eq(challenges.id, id))
  return row && { ...row, ...groupFlagsByKind(row.flags), parts: listFlagsToFind(row.flags) }
}

/**
 * Challenge with the file that all teams get. `flags`, `rules` and `parts` contain the static flags. They are empty if the
 * challenge has dynamic flags.
 */
export type PlayedChallenge = NonNullable<Awaited<ReturnType<typeof findChallenge>>>

export type ChallengeViewRow = Readonly<{
  challenge: ChallengeRow
  attachment: PlayedChallenge['attachment'] | undefined
  instance: InstanceRow | undefined
}>

/** Solve with the rules on which its points depend. */
export type SolveRow = Readonly<{
  submissionId: number
  gameId: number
  challengeId: number
  solvedAt: Date
  userName: string | null
  bloodBonus: number
  bloodPoints: BloodPoints | null
  hasBloods: boolean
  curve: ScoreCurve
  isValueFixed: boolean
  freezeAt: Date | null
  revealedAt: Date | null
  teamId: number
  /** True if the team has the right to points. */
  hasPoints: boolean
  /** True if the team has the right to bloods. */
  takesBlood: boolean
}>

/** Numbers of solves on which the points of a solve depend. Only solves by accepted teams count. */
export type SolveCounts = Readonly<{
  /** Number of solves that determine the value of the challenge. If the value is fixed, later solves do not count. */
  counted: number
  /** Number of earlier solves with the right to bloods. */
  earlier: number
}>

export type KeyedSubmission = Pick<typeof submissions.$inferSelect, 'id' | 'number' | 'challengeId' | 'answer' | 'status'>

export type MostSolvedKey = Readonly<{
  gameId: number
  /** Submission id of the solve after which solves do not count. If undefined, all solves count. */
  until: number | undefined
}>

type KeyedBy = Readonly<{
  clientKey: string
  userId: string
  gameId: number
}>

/** Finds a submission by its idempotency key. Considers only submissions of the user, and of the user's team in the game. */
export async function findKeyedSubmission(
  db: Executor,
  { clientKey, userId, gameId }: KeyedBy,
): Promise<KeyedSubmission | undefined> {
  const ofUser = eq(submissions.userId, userId)
  const own = db
    .select({ id: participationMembers.participationId })
    .from(participationMembers)
    .where(and(eq(participationMembers.gameId, gameId), eq(participationMembers.userId, userId)))
  const [row] = await db
    .select({
      id: submissions.id,
      number: submissions.number,
      challengeId: submissions.challengeId,
      answer: submissions.answer,
      status: submissions.status,
    })
    .from(submissions)
    .where(
      and(
        eq(submissions.clientKey, clientKey),
        eq(submissions.gameId, gameId),
        or(ofUser, inArray(submissions.participationId, own)),
      ),
    )
    .limit(1)
  return row
}

/** Finds the file that belongs to the assigned flag of a team. */
export async function findGivenFile(db: Executor, { challengeId, participationId }: AssignmentKey) {
  const [row] = await db
    .select({ ...attachmentColumns, sizeBytes: files.sizeBytes })
    .from(assignments)
    .innerJoin(flags, eq(flags.id, assignments.flagId))
    .innerJoin(attachments, eq(attachments.id, flags.attachmentId))
    .leftJoin(files, eq(files.hash, attachments.fileHash))
    .where(and(eq(assignments.challengeId, challengeId), eq(assignments.participationId, participationId)))
  return row
}

/** Finds live instances. @returns the instances in the order of the keys, or undefined for a missing instance */
export async function findInstances(db: Executor, keys: readonly AssignmentKey[]): Promise<(InstanceRow | undefined)[]> {
  const rows = await db
    .select()
    .from(instances)
    .where(
      and(
        isNull(instances.endedAt),
        sql`(${instances.challengeId}, ${instances.participationId}) in (
        select "challengeId", "participationId"
        from json_to_recordset(${JSON.stringify(keys)}::json) as asked ("challengeId" integer, "participationId" integer))`,
      ),
    )
  const byKey = new Map(rows.map((row) => [keyOfAssignment(row), row]))
  return keys.map((key) => byKey.get(keyOfAssignment(key)))
}

/** Lists the submissions of a participation for a challenge, newest first. */
export async function listSubmissions(db: Executor, { challengeId, participationId }: AssignmentKey, limit: number) {
  return db
    .select({
      number: submissions.number,
      answer: submissions.answer,
      status: submissions.status,
      submittedAt: submissions.submittedAt,
      userId: submissions.userId,
      userName: users.userName,
    })
    .from(submissions)
    .leftJoin(users, eq(users.id, submissions.userId))
    .where(
      and(
        eq(submissions.participationId, participationId),
        eq(submissions.challengeId, challengeId),
        eq(submissions.isGranted, false),
      ),
    )
    .orderBy(desc(submissions.id))
    .limit(limit)
}

/** Finds the solves of submissions. @returns the solves in the order of the ids, or undefined for a missing solve */
export async function findSolves(db: Executor, submissionIds: readonly number[]): Promise<(SolveRow | undefined)[]> {
  const own = (right: DivisionRight) =>
    divisionRightCondition({ participation: 'participations', challengeId: sql`${solves.challengeId}`, right })
  const rows = await db
    .select({
      submissionId: solves.submissionId,
      gameId: solves.gameId,
      challengeId: solves.challengeId,
      solvedAt: solves.solvedAt,
      userName: users.userName,
      bloodBonus: games.bloodBonus,
      bloodPoints: games.bloodPoints,
      freezeAt: games.freezeAt,
      revealedAt: games.revealedAt,
      teamId: participations.teamId,
      hasBloods: challenges.hasBloods,
      curve: {
        points: challenges.points,
        minimumShare: challenges.minimumShare,
        decay: challenges.decay,
        curve: challenges.curve,
      },
      isValueFixed: challenges.isValueFixed,
      hasPoints: sql<boolean>`${own('points')}`,
      takesBlood: sql<boolean>`${own('bloods')}`,
    })
    .from(solves)
    .innerJoin(challenges, eq(challenges.id, solves.challengeId))
    .innerJoin(games, eq(games.id, solves.gameId))
    .innerJoin(participations, eq(participations.id, solves.participationId))
    .leftJoin(users, eq(users.id, solves.userId))
    .where(isSolveOf(submissionIds))
  const byId = new Map(rows.map((row) => [row.submissionId, row]))
  return submissionIds.map((id) => byId.get(id))
}

/** Counts, for each given solve, the solves that affect its points. The results are in the order of the submission ids. */
export async function countSolves(db: Executor, submissionIds: readonly number[]): Promise<(SolveCounts | undefined)[]> {
  const isLater = sql`(other.solved_at, other.submission_id) > (${solves.solvedAt}, ${solves.submissionId})`
  const isEarlier = sql`(other.solved_at, other.submission_id) < (${solves.solvedAt}, ${solves.submissionId})`
  // The rights are the same for all teams of a division, so they are looked up only once for each division.
  const right = (name: DivisionRight) =>
    divisionRightCondition({ participation: 'tally', challengeId: sql`${solves.challengeId}`, right: name })
  const tally = sql`lateral (
    select coalesce(sum(counted) filter (where ${right('value')}), 0) as counted,
      coalesce(sum(earlier) filter (where ${right('bloods')}), 0) as earlier
    from (
      select solver.game_id, solver.division, count(*) filter (where not (${challenges.isValueFixed} and ${isLater})) as counted,
        count(*) filter (where ${isEarlier}) as earlier
      from ${solves} as other join ${participations} as solver on solver.id = other.participation_id
      where other.challenge_id = ${solves.challengeId} and solver.status = 'Accepted'
        and other.solved_at < least(${games.endsAt}, ${challenges.deadlineAt})
      group by solver.game_id, solver.division) as tally) as counts`
  const rows = await db
    .select({
      submissionId: solves.submissionId,
      counted: sql<number>`counts.counted`.mapWith(Number),
      earlier: sql<number>`counts.earlier`.mapWith(Number),
    })
    .from(solves)
    .innerJoin(challenges, eq(challenges.id, solves.challengeId))
    .innerJoin(games, eq(games.id, solves.gameId))
    .crossJoin(tally)
    .where(isSolveOf(submissionIds))
  const byId = new Map(rows.map((row) => [row.submissionId, row]))
  return submissionIds.map((id) => byId.get(id))
}

/** Returns the number of solves of the most-solved challenge of a game. Only solves by accepted teams count. */
async function countSolvesOfMostSolvedChallenge(db: Executor, { gameId, until }: MostSolvedKey): Promise<number> {
  const right = divisionRightCondition({ participation: 'tally', challengeId: sql`tally.challenge_id`, right: 'value' })
  const isCounted =
    until === undefined
      ? sql`true`
      : sql`(other.solved_at, other.submission_id) <= (select solved_at, submission_id from ${solves} where submission_id = ${until})`
  const [row] = await db.execute<{ most: number }>(sql`
    select coalesce(max(counted), 0)::integer as most from (
      select sum(counted) filter (where ${right}) as counted from (
        select solver.game_id, solver.division, challenges.id as challenge_id, count(*) as counted
        from ${solves} as other
        join ${participations} as solver on solver.id = other.participation_id
        join ${challenges} on challenges.id = other.challenge_id
        join ${games} on games.id = other.game_id
        where other.game_id = ${gameId} and solver.status = 'Accepted' and challenges.is_shown
          and other.solved_at < least(games.ends_at, challenges.deadline_at)
          and ${isCounted}
        group by solver.game_id, solver.division, challenges.id) as tally
      group by challenge_id) as solved`)
  return row?.most ?? 0
}

/**
 * Returns, for each key, the number of solves of the most-solved challenge of the game. Counts only once for equal keys, because
 * each count reads all solves of a game.
 */
export async function countSolvesOfMostSolvedChallenges(db: Executor, keys: readonly MostSolvedKey[]): Promise<number[]> {
  const counts = new Map<string, number>()
  const nameOf = ({ gameId, until }: MostSolvedKey) => `${gameId} ${until}`
  for (const key of keys) if (!counts.has(nameOf(key))) counts.set(nameOf(key), await countSolvesOfMostSolvedChallenge(db, key))
  return keys.map((key) => counts.get(nameOf(key)) ?? 0)
}

/** Lists the flags of a challenge that a team has found. */
export async function listFoundFlags(
  db: Executor,
  { challengeId, participationId }: AssignmentKey,
): Promise<{ flagId: number; foundAt: Date }[]> {
  return db
    .select({ flagId: foundFlags.flagId, foundAt: foundFlags.foundAt })
    .from(foundFlags)
    .where(and(eq(foundFlags.challengeId, challengeId), eq(foundFlags.participationId, participationId)))
}

/**
 * Counts the flags that a team has found, for each shown challenge with several flags to find. Challenges without a found
 * flag are omitted.
 */
export async function countFoundFlags(db: Executor, gameId: number, participationId: number): Promise<FlagProgress[]> {
  return db
    .select({ challengeId: challenges.id, found: count(foundFlags.flagId), total: count(flags.id) })
    .from(challenges)
    .innerJoin(flags, eq(flags.challengeId, challenges.id))
    .leftJoin(foundFlags, and(eq(foundFlags.flagId, flags.id), eq(foundFlags.participationId, participationId)))
    .where(and(eq(challenges.gameId, gameId), challenges.isShown))
    .groupBy(challenges.id)
    .having(and(gt(count(foundFlags.flagId), 0), sql`bool_or(${flags.points} is not null)`))
    .orderBy(asc(challenges.id))
}

/**
 * Finds which flag a submission matched. Considers only challenges whose solution requires several flags.
 * @returns undefined if one flag is enough to solve the challenge
 */
export async function findFoundFlag(db: Executor, submissionId: number): Promise<FoundFlag | undefined> {
  const hasPoints = divisionRightCondition({
    participation: 'participations',
    challengeId: sql`${submissions.challengeId}`,
    right: 'points',
  })
  const isNew = sql<boolean>`exists (select 1 from found_flags where found_flags.submission_id = ${submissions.id})`
  const [row] = await db
    .select({
      isNew,
      points: sql<number>`case when ${isNew} and ${hasPoints} then coalesce(${flags.points}, 0) else 0 end`.mapWith(Number),
      found: sql<number>`(select count(*) from found_flags where found_flags.challenge_id = ${submissions.challengeId}
        and found_flags.participation_id = ${submissions.participationId})`.mapWith(Number),
      total: sql<number>`(select count(*) from flags as part where part.challenge_id = ${submissions.challengeId})`.mapWith(
        Number,
      ),
    })
    .from(submissions)
    .innerJoin(flags, eq(flags.id, submissions.flagId))
    .innerJoin(participations, eq(participations.id, submissions.participationId))
    .where(eq(submissions.id, submissionId))
  return row
}

/** Finds submissions of players. @returns the submissions in the order of the keys, or undefined for an unknown key */
export async function findOwnSubmissions(
  db: Executor,
  keys: readonly OwnSubmissionKey[],
): Promise<(OwnSubmission | undefined)[]> {
  const given = keys.map((key, position) => ({ position, ...key }))
  const rows = await db
    .select({
      position: sql<number>`position`,
      challengeId: submissions.challengeId,
      participationId: submissions.participationId,
      status: submissions.status,
    })
    .from(
      sql`json_to_recordset(${JSON.stringify(given)}::json) as asked (
        "position" integer, "gameId" integer, "challengeId" integer, "userId" uuid, "number" integer)`,
    )
    .innerJoin(
      participationMembers,
      and(eq(participationMembers.gameId, sql`asked."gameId"`), eq(participationMembers.userId, sql`asked."userId"`)),
    )
    .innerJoin(
      submissions,
      and(
        eq(submissions.participationId, participationMembers.participationId),
        eq(submissions.number, sql`asked."number"`),
        eq(submissions.challengeId, sql`asked."challengeId"`),
        eq(submissions.userId, sql`asked."userId"`),
      ),
    )
  const byPosition = new Map(rows.map(({ position, ...row }) => [position, row]))
  return keys.map((_, position) => byPosition.get(position))
}
