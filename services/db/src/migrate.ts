import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))

/** Key of the advisory lock. No other program that uses this database may use the same key. */
const migrationLock = 6_827_411

/**
 * Migrates the database at `url` to the newest version. An advisory lock serializes concurrent callers, so that only the first
 * caller migrates. Migrations cannot be reverted. Each migration is safe while the previous version of the platform still runs.
 */
export async function migrateDatabase(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 })
  try {
    await sql`select pg_advisory_lock(${migrationLock})`
    await migrate(drizzle({ client: sql }), { migrationsFolder })
  } finally {
    await sql.end({ timeout: 5 })
  }
}
