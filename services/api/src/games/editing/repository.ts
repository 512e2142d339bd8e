import type { GameFilter, GameOrder } from '@capstan/contract/admin'
import type { ParticipationStatus } from '@capstan/contract/games'
import type { SurveyMode } from '@capstan/contract/surveys'
import type { Executor } from '@capstan/db/client'
import { findPageOfRows } from '@capstan/db/find-page'
import { attachments, challenges, flags } from '@capstan/db/schema/challenges'
import { certificateTemplates, games, participationMembers, participations } from '@capstan/db/schema/games'
import { captures } from '@capstan/db/schema/instances'
import { registrationAnswers } from '@capstan/db/schema/questions'
import { surveyAnswers } from '@capstan/db/schema/surveys'
import { teams } from '@capstan/db/schema/teams'
import { and, count, desc, eq, gt, ilike, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import { toSqlContainsPattern } from '../../server/http/search-pattern.ts'

export type GameRow = typeof games.$inferSelect
export type GameValues = typeof games.$inferInsert

export type GameSearch = GameFilter & Required<Pick<GameFilter, 'sort' | 'descending' | 'count' | 'skip'>>

/** Sort columns of the game list. Titles are compared without regard to case. */
const orders: Readonly<Record<GameOrder, SQL>> = {
  id: sql`${games.id}`,
  title: sql`lower(${games.title})`,
  start: sql`${games.startsAt}`,
  end: sql`${games.endsAt}`,
  hidden: sql`${games.hidden}`,
}

/** Columns of the game list, without the page text, which can be long. */
const listedColumns = {
  id: games.id,
  title: games.title,
  summary: games.summary,
  posterHash: games.posterHash,
  teamMemberCountLimit: games.teamMemberCountLimit,
  startsAt: games.startsAt,
  endsAt: games.endsAt,
}

export type ListedGame = Pick<GameRow, keyof typeof listedColumns>

/** Participation of the visitor's team. */
export type OwnParticipation = Readonly<{
  id: number
  status: Exclude<ParticipationStatus, 'Unsubmitted'>
  division: string | null
  teamName: string
  captainId: string
  isWaiting: boolean
}>

export function createGameRepository(db: Executor) {
  return {
    async find(id: number): Promise<GameRow | undefined> {
      const [game] = await db.select().from(games).where(eq(games.id, id))
      return game
    },
    async lock(id: number): Promise<GameRow | undefined> {
      const [game] = await db.select().from(games).where(eq(games.id, id)).for('no key update')
      return game
    },
    /**
     * Locks the settings and the set of enabled challenges of a game against changes. Several transactions can hold this lock at
     * once.
     */
    async share(id: number): Promise<GameRow | undefined> {
      const [game] = await db.select().from(games).where(eq(games.id, id)).for('share')
      return game
    },
    async insert(values: GameValues): Promise<GameRow> {
      const [game] = await db.insert(games).values(values).returning()
      if (!game) throw new Error('Inserting a game returned no row')
      return game
    },
    async update(id: number, values: Partial<GameValues>): Promise<GameRow> {
      const [game] = await db.update(games).set(values).where(eq(games.id, id)).returning()
      if (!game) throw new Error('Updating a locked game returned no row')
      return game
    },
    async delete(id: number): Promise<void> {
      await db.delete(games).where(eq(games.id, id))
    },
    listRecent: (limit: number): Promise<ListedGame[]> =>
      db
        .select(listedColumns)
        .from(games)
        .where(eq(games.hidden, false))
        .orderBy(desc(games.startsAt), desc(games.id))
        .limit(limit),
    listPage: (page: { count: number; skip: number }): Promise<GameRow[]> =>
      db.select().from(games).orderBy(desc(games.id)).limit(page.count).offset(page.skip),
    /** Returns one page of the games whose title or id matches `hint`. */
    findBy({ hint, sort, ...page }: GameSearch): Promise<{ rows: GameRow[]; total: number }> {
      const condition =
        hint === undefined
          ? undefined
          : or(ilike(games.title, toSqlContainsPattern(hint)), eq(sql`${games.id}::text`, hint.trim()))
      return findPageOfRows(db, { table: games, condition, order: orders[sort], key: games.id, ...page })
    },
    async countAll(): Promise<number> {
      const [row] = await db.select({ total: count() }).from(games)
      return row?.total ?? 0
    },
    async countTeams(gameId: number): Promise<number> {
      const [row] = await db.select({ total: count() }).from(participations).where(eq(participations.gameId, gameId))
      return row?.total ?? 0
    },
    async findOwn(gameId: number, userId: string): Promise<OwnParticipation | undefined> {
      const [row] = await db
        .select({
          id: participations.id,
          status: participations.status,
          division: participations.division,
          teamName: teams.name,
          captainId: teams.captainId,
          isWaiting: participations.isWaiting,
        })
        .from(participationMembers)
        .innerJoin(participations, eq(participations.id, participationMembers.participationId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .where(and(eq(participationMembers.gameId, gameId), eq(participationMembers.userId, userId)))
      return row
    },
    /** Lists games that are not hidden, have not ended by `now`, and have an accepted team of the user. */
    async listOwn(userId: string, now: Date): Promise<number[]> {
      const rows = await db
        .select({ id: games.id })
        .from(participationMembers)
        .innerJoin(participations, eq(participations.id, participationMembers.participationId))
        .innerJoin(games, eq(games.id, participations.gameId))
        .where(
          and(
            eq(participationMembers.userId, userId),
            eq(participations.status, 'Accepted'),
            eq(games.hidden, false),
            gt(games.endsAt, now),
          ),
        )
      return rows.map(({ id }) => id)
    },
    async listAttachments(gameId: number): Promise<{ id: number; fileHash: string | null }[]> {
      const columns = { id: attachments.id, fileHash: attachments.fileHash }
      const common = await db
        .select(columns)
        .from(attachments)
        .innerJoin(challenges, eq(challenges.attachmentId, attachments.id))
        .where(eq(challenges.gameId, gameId))
      const ofFlags = await db
        .select(columns)
        .from(attachments)
        .innerJoin(flags, eq(flags.attachmentId, attachments.id))
        .innerJoin(challenges, eq(challenges.id, flags.challengeId))
        .where(eq(challenges.gameId, gameId))
      return [...common, ...ofFlags]
    },
    async deleteAttachments(ids: readonly number[]): Promise<void> {
      if (ids.length > 0) await db.delete(attachments).where(inArray(attachments.id, [...ids]))
    },
    async listAnsweredQuestions(gameId: number): Promise<Set<string>> {
      const rows = await db
        .selectDistinct({ id: registrationAnswers.questionId })
        .from(registrationAnswers)
        .where(eq(registrationAnswers.gameId, gameId))
      return new Set(rows.map(({ id }) => id))
    },
    /**
     * Finds out whether players have answered the survey of a game anonymously or with their names.
     * @returns undefined if there are no answers
     */
    async findAnsweredSurvey(gameId: number): Promise<SurveyMode | undefined> {
      const [row] = await db
        .select({ userId: surveyAnswers.userId })
        .from(surveyAnswers)
        .where(eq(surveyAnswers.gameId, gameId))
        .limit(1)
      return row && (row.userId === null ? 'Anonymous' : 'Named')
    },
    async listWriteupHashes(gameId: number): Promise<(string | null)[]> {
      const rows = await db
        .select({ hash: participations.writeupHash })
        .from(participations)
        .where(and(eq(participations.gameId, gameId), isNotNull(participations.writeupHash)))
      return rows.map(({ hash }) => hash)
    },
    async hasCertificates(id: number): Promise<boolean> {
      const enabled = and(eq(certificateTemplates.gameId, id), eq(certificateTemplates.isEnabled, true))
      return (await db.$count(certificateTemplates, enabled)) > 0
    },
    async listCertificateHashes(gameId: number): Promise<(string | null)[]> {
      const { backgroundHash, logoHash, signatureHash } = certificateTemplates
      const rows = await db
        .select({ backgroundHash, logoHash, signatureHash })
        .from(certificateTemplates)
        .where(eq(certificateTemplates.gameId, gameId))
      return rows.flatMap(Object.values<string | null>)
    },
    listCaptures: (gameId: number): Promise<{ challengeId: number; participationId: number; fileName: string }[]> =>
      db
        .select({
          challengeId: captures.challengeId,
          participationId: captures.participationId,
          fileName: captures.fileName,
        })
        .from(captures)
        .innerJoin(challenges, eq(challenges.id, captures.challengeId))
        .where(eq(challenges.gameId, gameId)),
  }
}
