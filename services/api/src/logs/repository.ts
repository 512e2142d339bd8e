import type { Executor } from '@capstan/db/client'
import { logs } from '@capstan/db/schema/platform'
import { desc, eq, sql } from 'drizzle-orm'

export type LogRow = typeof logs.$inferSelect

export const logRepository = (db: Executor) => ({
  /** One parameter however many rows there are: building a statement for thousands of lines would hold up the players. */
  async insertMany(rows: readonly Omit<LogRow, 'id'>[]): Promise<void> {
    await db.execute(sql`
      insert into ${logs} (time, level, name, address, message, status)
      select time, level, name, address, message, status
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as line (time timestamptz, level text, name text, address text, message text, status text)`)
  },
  /** Newest first; of one level or all. */
  listPage: (level: string | undefined, page: { count: number; skip: number }): Promise<LogRow[]> =>
    db
      .select()
      .from(logs)
      .where(level === undefined ? undefined : eq(logs.level, level))
      .orderBy(desc(logs.id))
      .limit(page.count)
      .offset(page.skip),
})
