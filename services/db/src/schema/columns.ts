import { timestamp } from 'drizzle-orm/pg-core'

/** An instant, UTC, microseconds in the database, milliseconds in `Date`. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
