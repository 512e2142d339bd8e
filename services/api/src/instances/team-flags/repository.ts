import type { Executor } from '@capstan/db/client'
import { assignments, flags } from '@capstan/db/schema/challenges'
import { and, eq, notExists, sql } from 'drizzle-orm'

export type AssignmentRow = typeof assignments.$inferSelect

/** Key of an assignment: the ids of a participation and of a challenge. */
export type AssignmentKey = Readonly<{
  participationId: number
  challengeId: number
}>

/** Ids of the participation and the challenge of an instance. A test instance has no participation. */
type PossibleKey = Pick<AssignmentKey, 'challengeId'> & Readonly<{ participationId: number | null }>

export function keyOfAssignment({ challengeId, participationId }: PossibleKey): string {
  return `${challengeId} ${participationId}`
}

export function createAssignmentRepository(db: Executor) {
  return {
    async find(participationId: number, challengeId: number): Promise<AssignmentRow | undefined> {
      const [row] = await db
        .select()
        .from(assignments)
        .where(and(eq(assignments.participationId, participationId), eq(assignments.challengeId, challengeId)))
      return row
    },
    async ensure(participationId: number, challengeId: number): Promise<void> {
      await db.insert(assignments).values({ participationId, challengeId }).onConflictDoNothing()
    },
    /**
     * Stores the flag unless the assignment already has a flag. Inserts the assignment if it is missing.
     * @returns the stored flag
     */
    async fixFlag(participationId: number, challengeId: number, flag: string): Promise<string> {
      const [row] = await db
        .insert(assignments)
        .values({ participationId, challengeId, flag })
        .onConflictDoUpdate({
          target: [assignments.participationId, assignments.challengeId],
          set: { flag: sql`coalesce(${assignments.flag}, excluded.flag)` },
        })
        .returning({ flag: assignments.flag })
      if (row?.flag == null) throw new Error('Assigning a flag returned no row')
      return row.flag
    },
    async lock(participationId: number, challengeId: number): Promise<AssignmentRow> {
      const [row] = await db
        .select()
        .from(assignments)
        .where(and(eq(assignments.participationId, participationId), eq(assignments.challengeId, challengeId)))
        .for('update')
      if (!row) throw new Error('A new assignment has disappeared')
      return row
    },
    /** Locks a random flag that no team has and that no other transaction is taking. */
    async lockFreeFlag(challengeId: number): Promise<{ id: number; flag: string } | undefined> {
      const [row] = await db
        .select({ id: flags.id, flag: flags.flag })
        .from(flags)
        .where(
          and(
            eq(flags.challengeId, challengeId),
            notExists(db.select({ id: assignments.id }).from(assignments).where(eq(assignments.flagId, flags.id))),
          ),
        )
        .orderBy(sql`random()`)
        .limit(1)
        .for('update', { skipLocked: true })
      return row
    },
    /** @returns false if another team has just received the flag */
    async giveFlag(id: number, given: { id: number; flag: string }): Promise<boolean> {
      const rows = await db
        .update(assignments)
        .set({ flagId: given.id, flag: given.flag })
        .where(
          and(
            eq(assignments.id, id),
            notExists(db.select({ one: sql`1` }).from(sql`${assignments} as taken`).where(sql`taken.flag_id = ${given.id}`)),
          ),
        )
        .returning({ id: assignments.id })
      return rows.length > 0
    },
  }
}
