import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'

const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))

/** Any number that no other program of this database uses as an advisory lock. */
const migrationLock = 6_827_411

/**
 * Brings the database at `url` to the newest version. Safe with several callers at once: an advisory lock lets one work,
 * the others wait and find nothing to do. Forward only; each migration is safe while the old version still runs.
 */
export const migrateDatabase = async (url: string): Promise<void> => {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 })
  try {
    await sql`select pg_advisory_lock(${migrationLock})`
    await migrate(drizzle({ client: sql }), { migrationsFolder })
  } finally {
    await sql.end({ timeout: 5 })
  }
}
