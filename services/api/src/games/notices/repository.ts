import type { NoticeType } from '@capstan/contract/games'
import { bloodTypes } from '@capstan/contract/vocabulary'
import type { Executor } from '@capstan/db/client'
import { sqlOfStatusBefore } from '@capstan/db/known-status'
import { challenges } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { notices } from '@capstan/db/schema/news'
import { teams } from '@capstan/db/schema/teams'
import { and, desc, eq, inArray, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'

type Page = Readonly<{
  count: number
  skip: number
}>

/** Columns of a notice. A notice of an organizer has a text. A generated notice has the current names of challenge and team. */
const columns = {
  id: notices.id,
  type: notices.type,
  publishedAt: notices.publishedAt,
  text: sql<string | null>`case when ${notices.type} = 'Normal' then ${notices.values}[1] end`,
  challengeTitle: challenges.title,
  teamName: teams.name,
}

/**
 * SQL condition for the notices that players may see. Excludes notices about challenges that players do not see, and about teams
 * that are not accepted. A solve makes a hidden locked challenge public, so notices of bloods are included.
 * @param frozenSince instant of the freeze, or null if the board is not frozen. During a freeze, later bloods are excluded, and
 * each team has the status from before the freeze
 */
function isShown(frozenSince: Date | null): SQL | undefined {
  const isAccepted = frozenSince
    ? and(lt(notices.publishedAt, frozenSince), eq(sqlOfStatusBefore(frozenSince), 'Accepted'))
    : eq(participations.status, 'Accepted')
  return or(
    eq(notices.type, 'Normal'),
    and(
      challenges.isShown,
      or(inArray(notices.type, [...bloodTypes]), sql`${challenges.unlockRule} ->> 'locked' is distinct from 'Hidden'`),
      or(isNull(notices.teamId), isAccepted),
    ),
  )
}

const newestFirst = [desc(notices.publishedAt), desc(notices.id)] as const

export function createNoticeRepository(db: Executor) {
  const select = () =>
    db
      .select(columns)
      .from(notices)
      .leftJoin(challenges, eq(challenges.id, notices.challengeId))
      .leftJoin(teams, eq(teams.id, notices.teamId))
      .leftJoin(participations, and(eq(participations.gameId, notices.gameId), eq(participations.teamId, notices.teamId)))
  return {
    async insert(row: typeof notices.$inferInsert): Promise<number> {
      const [notice] = await db.insert(notices).values(row).returning({ id: notices.id })
      if (!notice) throw new Error('Inserting a notice returned no row')
      return notice.id
    },
    /** Lists a page of notices. Notices of organizers precede generated notices. Both groups are sorted newest first. */
    listPage: (gameId: number, frozenSince: Date | null, page: Page) =>
      select()
        .where(and(eq(notices.gameId, gameId), isShown(frozenSince)))
        .orderBy(desc(sql`${notices.type} = 'Normal'`), ...newestFirst)
        .limit(page.count)
        .offset(page.skip),
    listBloods: (gameId: number, limit: number) =>
      select()
        .where(and(eq(notices.gameId, gameId), inArray(notices.type, [...bloodTypes]), isShown(null)))
        .orderBy(...newestFirst)
        .limit(limit),
    listWritten: (gameId: number) =>
      select()
        .where(and(eq(notices.gameId, gameId), eq(notices.type, 'Normal')))
        .orderBy(...newestFirst),
    listGenerated: (gameId: number, page: Page) =>
      select()
        .where(and(eq(notices.gameId, gameId), ne(notices.type, 'Normal'), isShown(null)))
        .orderBy(...newestFirst)
        .limit(page.count)
        .offset(page.skip),
    async lock(gameId: number, id: number): Promise<{ readonly type: NoticeType } | undefined> {
      const [notice] = await db
        .select({ type: notices.type })
        .from(notices)
        .where(and(eq(notices.gameId, gameId), eq(notices.id, id)))
        .for('update')
      return notice
    },
    async update(id: number, values: { values: string[]; publishedAt: Date }): Promise<void> {
      await db.update(notices).set(values).where(eq(notices.id, id))
    },
    async delete(id: number): Promise<void> {
      await db.delete(notices).where(eq(notices.id, id))
    },
  }
}

export type NoticeRow = Awaited<ReturnType<ReturnType<typeof createNoticeRepository>['listPage']>>[number]
