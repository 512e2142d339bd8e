import { type SQL, sql } from 'drizzle-orm'
import { customType, text, timestamp } from 'drizzle-orm/pg-core'

/** Point in time in UTC, with microseconds in the database and milliseconds in `Date`. */
export function instant(name: string) {
  return timestamp(name, { withTimezone: true, mode: 'date' })
}

/** Number of a transaction. It is unique for the lifetime of a PostgreSQL cluster. */
export const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * Unique keys that refuse a name that looks like an existing one. They are null until the api computes them, because the database
 * cannot. If an older row has the same key, this row's key gets a suffix: a space and its own id.
 */
export const nameKeyColumns = {
  nameSkeleton: text('name_skeleton'),
  nameShape: text('name_shape'),
  nameReading: text('name_reading'),
}

/** Returns the allowed words of a column as an SQL list, for `in` in a check constraint. */
export function sqlList(words: readonly string[]): SQL {
  return sql.raw(`(${words.map((word) => `'${word}'`).join(', ')})`)
}
