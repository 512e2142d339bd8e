import { type SQL, sql } from 'drizzle-orm'
import { customType, text, timestamp } from 'drizzle-orm/pg-core'

/** Point in time in UTC, with microseconds in the database and milliseconds in `Date`. */
export function instant(name: string) {
  return timestamp(name, { withTimezone: true, mode: 'date' })
}

/** Number of a transaction, which is unique in the life of a database cluster. */
export const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * Keys that prevent two names from looking or sounding alike. They are null until the api computes them, because the database
 * cannot. If an older row already has the key, a blank and the row's id follow the key.
 */
export const nameKeyColumns = {
  nameSkeleton: text('name_skeleton'),
  nameShape: text('name_shape'),
  nameReading: text('name_reading'),
}

/** Returns the words of a check constraint as a list for `in`. */
export function sqlList(words: readonly string[]): SQL {
  return sql.raw(`(${words.map((word) => `'${word}'`).join(', ')})`)
}
