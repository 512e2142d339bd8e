import type { CannedAnswer, CannedAnswerWrite } from '@capstan/contract/tickets'
import type { Executor } from '@capstan/db/client'
import { cannedAnswers } from '@capstan/db/schema/tickets'
import { asc, count, eq } from 'drizzle-orm'

export function createCannedAnswerRepository(db: Executor) {
  return {
    list: () => db.select().from(cannedAnswers).orderBy(asc(cannedAnswers.title), asc(cannedAnswers.id)),
    async count(): Promise<number> {
      const [row] = await db.select({ count: count() }).from(cannedAnswers)
      return row?.count ?? 0
    },
    async insert(written: CannedAnswerWrite): Promise<CannedAnswer> {
      const [row] = await db.insert(cannedAnswers).values(written).returning()
      if (!row) throw new Error('Inserting a canned answer returned no row')
      return row
    },
    async update(id: number, written: CannedAnswerWrite): Promise<CannedAnswer | undefined> {
      const [row] = await db.update(cannedAnswers).set(written).where(eq(cannedAnswers.id, id)).returning()
      return row
    },
    async delete(id: number): Promise<string | undefined> {
      const [row] = await db.delete(cannedAnswers).where(eq(cannedAnswers.id, id)).returning({ title: cannedAnswers.title })
      return row?.title
    },
  }
}
