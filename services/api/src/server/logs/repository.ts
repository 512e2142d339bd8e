import { type LogFilter, type LogOrder, logLevels } from '@capstan/contract/admin'
import { Limits } from '@capstan/contract/limits'
import type { Executor } from '@capstan/db/client'
import { logs } from '@capstan/db/schema/platform'
import { asc, desc, eq, type SQL, sql } from 'drizzle-orm'

export type LogRow = typeof logs.$inferSelect

export type LogSearch = LogFilter & Required<Pick<LogFilter, 'sort' | 'descending' | 'count' | 'skip'>>

/**
 * Sort keys other than the time. Only the newest lines are sorted by these keys, so that the cost is limited. Names are sorted
 * without regard to case, and levels by severity.
 */
const orders: Readonly<Record<Exclude<LogOrder, 'time'>, SQL>> = {
  level: sql`array_position(${sql.raw(`array[${logLevels.map((level) => `'${level}'`).join()}]`)}, level)`,
  user: sql`lower(name)`,
  address: sql`address`,
  result: sql`status`,
  message: sql`lower(left(message, 200))`,
}

export function createLogRepository(db: Executor) {
  return {
    /** Inserts the rows as one JSON parameter, because thousands of parameters would block the event loop. */
    async insertMany(rows: readonly Omit<LogRow, 'id'>[]): Promise<void> {
      await db.execute(sql`
      insert into ${logs} (time, level, name, address, message, status)
      select time, level, name, address, message, status
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as line (time timestamptz, level text, name text, address text, message text, status text)`)
    },
    /**
     * Lists lines that match a filter. Sorting by time covers all lines, because it uses an index. Other orders sort only the
     * newest lines. Lines with equal sort keys are sorted newest first.
     */
    findBy({ level, sort, descending, count: limit, skip }: LogSearch): Promise<LogRow[]> {
      const condition = level === undefined ? undefined : eq(logs.level, level)
      const direction = descending ? desc : asc
      if (sort === 'time') return db.select().from(logs).where(condition).orderBy(direction(logs.id)).limit(limit).offset(skip)
      const newest = db.select().from(logs).where(condition).orderBy(desc(logs.id)).limit(Limits.maxSortedLogLines).as('newest')
      return db
        .select()
        .from(newest)
        .orderBy(sql`${direction(orders[sort])} nulls last`, desc(newest.id))
        .limit(limit)
        .offset(skip)
    },
    /**
     * Deletes the log lines above a maximum number, first the oldest lines of the names that have the most lines. A flood of lines
     * with one name therefore displaces few lines of other names.
     */
    async deleteSurplus(maxLines: number): Promise<void> {
      await db.execute(sql`
      with placed as (select id, row_number() over (partition by name order by id desc) as place from ${logs})
      delete from ${logs} where id in (
        select id from placed order by place desc, id
        limit greatest(0, (select count(*) from ${logs}) - ${maxLines}::integer))`)
    },
    listPage: (level: string | undefined, page: { count: number; skip: number }): Promise<LogRow[]> =>
      db
        .select()
        .from(logs)
        .where(level === undefined ? undefined : eq(logs.level, level))
        .orderBy(desc(logs.id))
        .limit(page.count)
        .offset(page.skip),
  }
}
