import type { Executor } from '@capstan/db/client'
import { changes } from '@capstan/db/schema/changes'
import { lt, sql } from 'drizzle-orm'

/** Maximum number of keys per read. If more keys changed, all caches are cleared. */
const maxKeys = 5_000

export type ChangesSince = Readonly<{
  snapshot: string
  /**
   * True unless the snapshot is older than the previous snapshot, for example because the database was restored from a backup.
   */
  isLater: boolean
  /** Keys of the changes, or undefined if there are too many keys. */
  keys: readonly string[] | undefined
}>

/** Kind of change: a change to a scoreboard, or a change to other cached data. */
export type ChangeSubject = 'boards' | 'others'

/** Prepares the read statement once, since every call that uses a cache runs this statement. */
function prepareRead(db: Executor, subject: ChangeSubject) {
  const before = sql`${sql.placeholder('before')}::text::pg_snapshot`
  // After a restore, rows may belong to transactions that have not started in this database. The query ignores such rows.
  const fresh = sql`select distinct ${changes.key} from ${changes}
    where ${changes.transaction} >= pg_snapshot_xmin(${before})
      and not pg_visible_in_snapshot(${changes.transaction}, ${before})
      and pg_visible_in_snapshot(${changes.transaction}, pg_current_snapshot())
      and ${sql.raw(subject === 'boards' ? '' : 'not')} starts_with(${changes.key}, 'board ')
    limit ${sql.raw(String(maxKeys + 1))}`
  return db
    .select({
      snapshot: sql<string>`snapshot`,
      isLater: sql<boolean>`pg_snapshot_xmax(snapshot::pg_snapshot) >= pg_snapshot_xmax(${before})`,
      keys: sql<string[] | null>`(select json_agg(key) from (${fresh}) as fresh)`,
    })
    .from(sql`(select pg_current_snapshot()::text as snapshot) as now`)
    .prepare(`read_changes_of_${subject}`)
}

export function createChangeRepository(db: Executor, subject: ChangeSubject) {
  let prepared: ReturnType<typeof prepareRead> | undefined
  return {
    /**
     * Reads the changes that became visible since the snapshot `before`. If `before` is undefined, only the current snapshot
     * is read.
     */
    async readSince(before: string | undefined): Promise<ChangesSince> {
      prepared ??= prepareRead(db, subject)
      const [row] = await prepared.execute({ before: before ?? '1:1:' })
      if (!row) throw new Error('The database has no snapshot')
      const keys = before === undefined ? [] : (row.keys ?? [])
      return { snapshot: row.snapshot, isLater: row.isLater, keys: keys.length > maxKeys ? undefined : keys }
    },
    async deleteBefore(time: Date): Promise<void> {
      await db.delete(changes).where(lt(changes.changedAt, time))
    },
  }
}
