import { type SQL, sql } from 'drizzle-orm'
import { text, timestamp } from 'drizzle-orm/pg-core'

/** An instant, UTC, microseconds in the database, milliseconds in `Date`. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/**
 * How a name reads and how it is drawn, so that two that look alike do not stand beside each other. The api works them out, for the
 * database cannot: null until it has. Followed by a blank and the row's id where an older row has the name.
 */
export const nameKeyColumns = {
  nameSkeleton: text('name_skeleton'),
  nameShape: text('name_shape'),
  nameReading: text('name_reading'),
}

/** The words of a check, as `in` takes them. */
export const listed = (words: readonly string[]): SQL => sql.raw(`(${words.map((word) => `'${word}'`).join(', ')})`)
