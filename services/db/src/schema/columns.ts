import { type SQL, sql } from 'drizzle-orm'
import { customType, text, timestamp } from 'drizzle-orm/pg-core'

/** Returns a column for an instant in UTC. It has microseconds in the database, and milliseconds in `Date`. */
export function instantColumn(name: string) {
  return timestamp(name, { withTimezone: true, mode: 'date' })
}

/** Column type for the number of a transaction, which is unique for the lifetime of a PostgreSQL cluster. */
export const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * Columns with keys that are derived from a name. The keys are unique, so that a new name cannot look like an existing name. Only
 * the api can compute the keys. In rows from an older version, the keys are null until the api adds them. If another row already
 * has a key, the api appends a space and the row's id to the key.
 */
export const nameKeyColumns = {
  nameSkeleton: text('name_skeleton'),
  nameShape: text('name_shape'),
  nameReading: text('name_reading'),
}

/** Returns words as an SQL list, for a check constraint with `in` that lists the allowed words of a column. */
export function sqlList(words: readonly string[]): SQL {
  return sql.raw(`(${words.map((word) => `'${word}'`).join(', ')})`)
}
