import type { NoticeType } from '@capstan/contract/games'
import type { Executor } from '@capstan/db/client'
import { notices } from '@capstan/db/schema/games'
import { and, desc, eq, sql } from 'drizzle-orm'

export type NoticeRow = typeof notices.$inferSelect

const newestFirst = [desc(notices.publishedAt), desc(notices.id)] as const

export const noticeRepository = (db: Executor) => ({
  async insert(row: { gameId: number; type: NoticeType; values: string[]; publishedAt: Date }): Promise<NoticeRow> {
    const [notice] = await db.insert(notices).values(row).returning()
    if (!notice) throw new Error('Inserting a notice returned no row')
    return notice
  },
  /** Written ones first, then the rest; each newest first. */
  listPage: (gameId: number, page: { count: number; skip: number }): Promise<NoticeRow[]> =>
    db
      .select()
      .from(notices)
      .where(eq(notices.gameId, gameId))
      .orderBy(desc(sql`${notices.type} = 'Normal'`), ...newestFirst)
      .limit(page.count)
      .offset(page.skip),
  listWritten: (gameId: number): Promise<NoticeRow[]> =>
    db
      .select()
      .from(notices)
      .where(and(eq(notices.gameId, gameId), eq(notices.type, 'Normal')))
      .orderBy(...newestFirst),
  async lock(gameId: number, id: number): Promise<NoticeRow | undefined> {
    const [notice] = await db
      .select()
      .from(notices)
      .where(and(eq(notices.gameId, gameId), eq(notices.id, id)))
      .for('update')
    return notice
  },
  async update(id: number, values: { values: string[]; publishedAt: Date }): Promise<NoticeRow> {
    const [notice] = await db.update(notices).set(values).where(eq(notices.id, id)).returning()
    if (!notice) throw new Error('Updating a locked notice returned no row')
    return notice
  },
  async delete(id: number): Promise<void> {
    await db.delete(notices).where(eq(notices.id, id))
  },
})
