import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges, solveCorrections, solves, submissions } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, desc, eq, isNull, max, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'

export type CorrectionFilter = Readonly<{
  count: number
  skip: number
  teamId: number | undefined
}>

export type SolveKey = Readonly<{
  gameId: number
  challengeId: number
  participationId: number
}>

const revokers = alias(users, 'revokers')

const columns = {
  id: solveCorrections.id,
  teamId: teams.id,
  team: teams.name,
  challengeId: challenges.id,
  challenge: challenges.title,
  kind: solveCorrections.kind,
  reason: solveCorrections.reason,
  solvedAt: solveCorrections.solvedAt,
  correctedAt: solveCorrections.correctedAt,
  author: users.userName,
  revokedAt: solveCorrections.revokedAt,
  revokedBy: revokers.userName,
  participationId: solveCorrections.participationId,
  submissionId: solveCorrections.submissionId,
}

/** SQL statements for corrections of solves. Before a call that writes, the caller must lock the challenge. */
export function createCorrectionRepository(db: Executor) {
  const select = () =>
    db
      .select(columns)
      .from(solveCorrections)
      .innerJoin(challenges, eq(challenges.id, solveCorrections.challengeId))
      .innerJoin(participations, eq(participations.id, solveCorrections.participationId))
      .innerJoin(teams, eq(teams.id, participations.teamId))
      .leftJoin(users, eq(users.id, solveCorrections.authorId))
      .leftJoin(revokers, eq(revokers.id, solveCorrections.revokerId))
  const ofPair = ({ challengeId, participationId }: SolveKey) =>
    and(eq(submissions.participationId, participationId), eq(submissions.challengeId, challengeId))
  return {
    async listPage(gameId: number, { count, skip, teamId }: CorrectionFilter) {
      const filter = and(
        eq(solveCorrections.gameId, gameId),
        teamId === undefined ? undefined : eq(participations.teamId, teamId),
      )
      const total = await db.$count(
        db
          .select({ id: solveCorrections.id })
          .from(solveCorrections)
          .innerJoin(participations, eq(participations.id, solveCorrections.participationId))
          .where(filter)
          .as('matching'),
      )
      const rows = await select()
        .where(filter)
        .orderBy(desc(solveCorrections.correctedAt), desc(solveCorrections.id))
        .limit(count)
        .offset(skip)
      return { rows, total }
    },
    async find(gameId: number, id: number) {
      const [row] = await select().where(and(eq(solveCorrections.gameId, gameId), eq(solveCorrections.id, id)))
      return row
    },
    /** Locks the row of the challenge, so that its solves and corrections are processed one after another. */
    async lockChallenge(gameId: number, id: number): Promise<{ deadlineAt: Date | null } | undefined> {
      const [challenge] = await db
        .select({ deadlineAt: challenges.deadlineAt })
        .from(challenges)
        .where(and(eq(challenges.gameId, gameId), eq(challenges.id, id)))
        .for('no key update')
      return challenge
    },
    async findSolve({ challengeId, participationId }: SolveKey): Promise<{ solvedAt: Date } | undefined> {
      const [row] = await db
        .select({ solvedAt: solves.solvedAt })
        .from(solves)
        .where(and(eq(solves.challengeId, challengeId), eq(solves.participationId, participationId)))
      return row
    },
    async findLastSubmission(key: SolveKey): Promise<number> {
      const [row] = await db
        .select({ id: max(submissions.id) })
        .from(submissions)
        .where(ofPair(key))
      if (!row?.id) throw new Error('A solve has no submission')
      return row.id
    },
    async insert(row: typeof solveCorrections.$inferInsert): Promise<number> {
      const [correction] = await db.insert(solveCorrections).values(row).returning({ id: solveCorrections.id })
      if (!correction) throw new Error('Inserting a correction returned no row')
      return correction.id
    },
    /** @returns false if the game has no correction with this id, or if the correction is revoked already */
    async revoke(gameId: number, id: number, values: Readonly<{ revokedAt: Date; revokerId: string }>): Promise<boolean> {
      const rows = await db
        .update(solveCorrections)
        .set(values)
        .where(and(eq(solveCorrections.gameId, gameId), eq(solveCorrections.id, id), isNull(solveCorrections.revokedAt)))
        .returning({ id: solveCorrections.id })
      return rows.length > 0
    },
    /** Inserts a submission that has no answer and represents a granted solve. @returns the id of the submission */
    async insertGranted({ teamId, ...key }: SolveKey & { readonly teamId: number }, submittedAt: Date): Promise<number> {
      const [row] = await db
        .insert(submissions)
        .values({ ...key, teamId, answer: '', status: 'Accepted', submittedAt, isGranted: true })
        .returning({ id: submissions.id })
      if (!row) throw new Error('Inserting a granted submission returned no row')
      return row.id
    },
    async deleteSubmission(id: number): Promise<void> {
      await db.delete(submissions).where(eq(submissions.id, id))
    },
    /**
     * Updates which submissions of a team for a challenge are void. A correction that takes back a solve voids all submissions that
     * were sent before that correction.
     */
    async updateVoid(key: SolveKey): Promise<void> {
      await db
        .update(submissions)
        .set({
          isVoid: sql`${submissions.id} <= coalesce((
            select max(last_submission_id) from ${solveCorrections}
            where participation_id = ${key.participationId} and challenge_id = ${key.challengeId} and revoked_at is null), 0)`,
        })
        .where(ofPair(key))
    },
  }
}

export type CorrectionRow = NonNullable<Awaited<ReturnType<ReturnType<typeof createCorrectionRepository>['find']>>>
