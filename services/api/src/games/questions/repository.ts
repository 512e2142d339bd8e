import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { participationMembers, participations } from '@capstan/db/schema/games'
import { registrationAnswers, registrationFiles } from '@capstan/db/schema/questions'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, desc, eq, inArray, isNull, lt, sql } from 'drizzle-orm'

export type StoredAnswer = Readonly<{
  participationId: number
  /** Id of the member, or null if the answer is for the team. */
  userId: string | null
  questionId: string
  values: string[]
  file: Readonly<{ id: string; name: string; sizeBytes: number; hash: string }> | null
}>

/** Participation of a user, with the captain of its team. */
export type Respondent = Readonly<{
  participationId: number
  teamId: number
  captainId: string
}>

export type FileRow = typeof registrationFiles.$inferSelect

const answerColumns = {
  participationId: registrationAnswers.participationId,
  userId: registrationAnswers.userId,
  questionId: registrationAnswers.questionId,
  values: registrationAnswers.values,
  file: {
    id: registrationFiles.id,
    name: registrationFiles.name,
    sizeBytes: registrationFiles.sizeBytes,
    hash: registrationFiles.fileHash,
  },
}

export function createQuestionRepository(db: Executor) {
  const answers = () =>
    db
      .select(answerColumns)
      .from(registrationAnswers)
      .leftJoin(registrationFiles, eq(registrationFiles.answerId, registrationAnswers.id))
  return {
    listAnswers: (participationId: number): Promise<StoredAnswer[]> =>
      answers().where(eq(registrationAnswers.participationId, participationId)).orderBy(asc(registrationAnswers.id)),
    listAnswersOfGame: (gameId: number): Promise<StoredAnswer[]> =>
      answers().where(eq(registrationAnswers.gameId, gameId)).orderBy(asc(registrationAnswers.id)),
    listAnswered: (gameId: number): Promise<Pick<StoredAnswer, 'participationId' | 'userId' | 'questionId'>[]> =>
      db
        .select({
          participationId: registrationAnswers.participationId,
          userId: registrationAnswers.userId,
          questionId: registrationAnswers.questionId,
        })
        .from(registrationAnswers)
        .where(eq(registrationAnswers.gameId, gameId)),
    async findRespondent(gameId: number, userId: string): Promise<Respondent | undefined> {
      const [row] = await db
        .select({ participationId: participations.id, teamId: participations.teamId, captainId: teams.captainId })
        .from(participationMembers)
        .innerJoin(participations, eq(participations.id, participationMembers.participationId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .where(and(eq(participationMembers.gameId, gameId), eq(participationMembers.userId, userId)))
      return row
    },
    /** Locks a team, then its participation. Joins take the locks in the same order. */
    async lock({ participationId, teamId }: Respondent): Promise<boolean> {
      await db.select({ id: teams.id }).from(teams).where(eq(teams.id, teamId)).for('no key update')
      const rows = await db
        .select({ id: participations.id })
        .from(participations)
        .where(eq(participations.id, participationId))
        .for('no key update')
      return rows.length > 0
    },
    async hasParticipation(gameId: number, participationId: number): Promise<boolean> {
      const rows = await db
        .select({ id: participations.id })
        .from(participations)
        .where(and(eq(participations.id, participationId), eq(participations.gameId, gameId)))
      return rows.length > 0
    },
    listMembers: (participationId: number): Promise<{ userId: string; userName: string }[]> =>
      db
        .select({ userId: users.id, userName: users.userName })
        .from(participationMembers)
        .innerJoin(users, eq(users.id, participationMembers.userId))
        .where(eq(participationMembers.participationId, participationId))
        .orderBy(asc(users.userName), asc(users.id)),
    /**
     * Lists the teams of a game with the members who joined the game, sorted by team and name. A team without such members has
     * one row.
     */
    listRespondents: (gameId: number) =>
      db
        .select({
          participationId: participations.id,
          teamId: teams.id,
          team: teams.name,
          division: participations.division,
          status: participations.status,
          userId: users.id,
          userName: users.userName,
        })
        .from(participations)
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .leftJoin(participationMembers, eq(participationMembers.participationId, participations.id))
        .leftJoin(users, eq(users.id, participationMembers.userId))
        .where(eq(participations.gameId, gameId))
        .orderBy(asc(teams.id), asc(users.userName)),
    /** Deletes answers of a member, or of the team if `userId` is null. */
    async deleteAnswers(participationId: number, userId: string | null, questionIds: readonly string[]): Promise<void> {
      if (questionIds.length === 0) return
      await db
        .delete(registrationAnswers)
        .where(
          and(
            eq(registrationAnswers.participationId, participationId),
            userId === null ? isNull(registrationAnswers.userId) : eq(registrationAnswers.userId, userId),
            inArray(registrationAnswers.questionId, [...questionIds]),
          ),
        )
    },
    async insertAnswer(values: typeof registrationAnswers.$inferInsert): Promise<number> {
      const [row] = await db.insert(registrationAnswers).values(values).returning({ id: registrationAnswers.id })
      if (!row) throw new Error('Inserting an answer returned no row')
      return row.id
    },
    /** Assigns an unused file of the uploader to an answer. @returns false if there is no such file */
    async assignFile(answerId: number, { id, gameId, uploaderId }: { id: string; gameId: number; uploaderId: string }) {
      const rows = await db
        .update(registrationFiles)
        .set({ answerId })
        .where(
          and(
            eq(registrationFiles.id, id),
            eq(registrationFiles.gameId, gameId),
            eq(registrationFiles.uploaderId, uploaderId),
            isNull(registrationFiles.answerId),
          ),
        )
        .returning({ id: registrationFiles.id })
      return rows.length > 0
    },
    async insertFile(values: typeof registrationFiles.$inferInsert): Promise<FileRow> {
      const [row] = await db.insert(registrationFiles).values(values).returning()
      if (!row) throw new Error('Inserting a file returned no row')
      return row
    },
    /** Finds a file. If an answer uses the file, also returns the member who gave the answer, and the captain of the team. */
    async findFile(gameId: number, id: string) {
      const [row] = await db
        .select({ file: registrationFiles, userId: registrationAnswers.userId, captainId: teams.captainId })
        .from(registrationFiles)
        .leftJoin(registrationAnswers, eq(registrationAnswers.id, registrationFiles.answerId))
        .leftJoin(participations, eq(participations.id, registrationAnswers.participationId))
        .leftJoin(teams, eq(teams.id, participations.teamId))
        .where(and(eq(registrationFiles.gameId, gameId), eq(registrationFiles.id, id)))
      return row
    },
    /**
     * Deletes the oldest unused files of a user in a game.
     * @param kept number of unused files to retain
     * @returns hashes of the deleted files' contents
     */
    async deleteOldestPendingFiles(
      { gameId, uploaderId }: { gameId: number; uploaderId: string },
      kept: number,
    ): Promise<string[]> {
      const isPending = and(
        eq(registrationFiles.gameId, gameId),
        eq(registrationFiles.uploaderId, uploaderId),
        isNull(registrationFiles.answerId),
      )
      const oldest = await db
        .select({ id: registrationFiles.id })
        .from(registrationFiles)
        .where(isPending)
        .orderBy(desc(registrationFiles.uploadedAt), desc(registrationFiles.id))
        .offset(kept)
      if (oldest.length === 0) return []
      const ids = oldest.map(({ id }) => id)
      const deleted = await db
        .delete(registrationFiles)
        // Check `isPending` again. A concurrent request may have used one of the files in an answer after the query.
        .where(and(isPending, inArray(registrationFiles.id, ids)))
        .returning({ hash: registrationFiles.fileHash })
      return deleted.map(({ hash }) => hash)
    },
    /**
     * Deletes unused files of the game until the remaining unused files have at most `maxBytes` in total. First deletes files of
     * the users whose unused files have the most bytes.
     * @returns hashes of the deleted files
     */
    async deleteLargestPendingFiles(gameId: number, maxBytes: number): Promise<string[]> {
      const deleted = await db.execute<{ file_hash: string }>(sql`
        with pending as (
          select id, uploader_id, size_bytes, sum(size_bytes) over (partition by uploader_id) as uploader_bytes
          from registration_files where game_id = ${gameId} and answer_id is null
        ), totals as (
          select id, sum(size_bytes) over (order by uploader_bytes, uploader_id, id) as total_bytes from pending
        )
        delete from registration_files
        where answer_id is null and id in (select id from totals where total_bytes > ${maxBytes})
        returning file_hash`)
      return [...deleted].map((file) => file.file_hash)
    },
    async deletePendingFiles(before: Date): Promise<void> {
      await db.delete(registrationFiles).where(and(isNull(registrationFiles.answerId), lt(registrationFiles.uploadedAt, before)))
    },
  }
}
