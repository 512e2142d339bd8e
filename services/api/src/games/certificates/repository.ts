import type { Executor } from '@capstan/db/client'
import { certificateTemplates } from '@capstan/db/schema/games'
import { eq } from 'drizzle-orm'

export type CertificateRow = typeof certificateTemplates.$inferSelect
export type CertificateValues = Omit<typeof certificateTemplates.$inferInsert, 'gameId'>

export function createCertificateRepository(db: Executor) {
  return {
    async find(gameId: number): Promise<CertificateRow | undefined> {
      const [row] = await db.select().from(certificateTemplates).where(eq(certificateTemplates.gameId, gameId))
      return row
    },
    /** Updates the given values of the row. If there is no row, inserts a row with defaults for all other values. */
    async put(gameId: number, values: CertificateValues): Promise<CertificateRow> {
      const [row] = await db
        .insert(certificateTemplates)
        .values({ ...values, gameId })
        .onConflictDoUpdate({ target: certificateTemplates.gameId, set: values })
        .returning()
      if (!row) throw new Error('Storing a certificate template returned no row')
      return row
    },
  }
}
