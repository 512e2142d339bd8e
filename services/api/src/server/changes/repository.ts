import type { Executor } from '@capstan/db/client'
import { changes } from '@capstan/db/schema/changes'
import { lt, sql } from 'drizzle-orm'

/** More different keys than this at once are answered by forgetting everything. */
const mostKeys = 5_000

export type ChangesSince = Readonly<{
  /** What the database shows now, to be asked about the next time. */
  snapshot: string
  /** False: the database is behind what it showed before, as after a restore. */
  isLater: boolean
  /** Undefined: too many to name. */
  keys: readonly string[] | undefined
}>

/** `board` keys concern scoreboards only. Each solve writes one, so the feed of the other caches leaves them out. */
export type ChangeSubject = 'boards' | 'others'

/** Statement of every call that answers from memory: it is made once. */
function prepareRead(db: Executor, subject: ChangeSubject) {
  const before = sql`${sql.placeholder('before')}::text::pg_snapshot`
  // Rows of transactions that have not begun yet are of another database, whose backup this is.
  const fresh = sql`select distinct ${changes.key} from ${changes}
    where ${changes.transaction} >= pg_snapshot_xmin(${before})
      and not pg_visible_in_snapshot(${changes.transaction}, ${before})
      and pg_visible_in_snapshot(${changes.transaction}, pg_current_snapshot())
      and ${sql.raw(subject === 'boards' ? '' : 'not')} starts_with(${changes.key}, 'board ')
    limit ${sql.raw(String(mostKeys + 1))}`
  return db
    .select({
      snapshot: sql<string>`snapshot`,
      isLater: sql<boolean>`pg_snapshot_xmax(snapshot::pg_snapshot) >= pg_snapshot_xmax(${before})`,
      keys: sql<string[] | null>`(select json_agg(key) from (${fresh}) as fresh)`,
    })
    .from(sql`(select pg_current_snapshot()::text as snapshot) as now`)
    .prepare(`read_changes_of_${subject}`)
}

export function changeRepository(db: Executor, subject: ChangeSubject) {
  let prepared: ReturnType<typeof prepareRead> | undefined
  return {
    /** What became visible after `before`, a snapshot of an earlier answer; undefined: nothing, only the snapshot. */
    async readSince(before: string | undefined): Promise<ChangesSince> {
      prepared ??= prepareRead(db, subject)
      const [row] = await prepared.execute({ before: before ?? '1:1:' })
      if (!row) throw new Error('The database has no snapshot')
      const keys = before === undefined ? [] : (row.keys ?? [])
      return { snapshot: row.snapshot, isLater: row.isLater, keys: keys.length > mostKeys ? undefined : keys }
    },
    async deleteBefore(time: Date): Promise<void> {
      await db.delete(changes).where(lt(changes.changedAt, time))
    },
  }
}
