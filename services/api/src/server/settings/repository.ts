import type { Executor } from '@capstan/db/client'
import { platformSettings } from '@capstan/db/schema/platform'
import { sql } from 'drizzle-orm'

export type SettingsRows = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Key of the advisory lock on the settings. Any fixed value works. */
const settingsLock = 6_827_412

export function createSettingsRepository(db: Executor) {
  return {
    async read(): Promise<SettingsRows> {
      const rows = await db.select().from(platformSettings)
      return Object.fromEntries(rows.map(({ section, value }) => [section, value as Readonly<Record<string, unknown>>]))
    },
    async lock(): Promise<void> {
      await db.execute(sql`select pg_advisory_xact_lock(${settingsLock})`)
    },
    async write(section: string, value: object): Promise<void> {
      await db
        .insert(platformSettings)
        .values({ section, value })
        .onConflictDoUpdate({ target: platformSettings.section, set: { value } })
    },
  }
}
