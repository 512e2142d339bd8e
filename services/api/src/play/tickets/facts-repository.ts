import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { instances } from '@capstan/db/schema/instances'
import { and, desc, eq } from 'drizzle-orm'

export function createTicketFactsRepository(db: Executor) {
  return {
    /** Lists the instances of a team for a challenge, newest first. */
    listInstances: (participationId: number, challengeId: number, limit: number) =>
      db
        .select({
          id: instances.id,
          status: instances.status,
          startedAt: instances.startedAt,
          startedBy: users.userName,
          expiresAt: instances.expiresAt,
          endedAt: instances.endedAt,
          reason: instances.reason,
          reasonCode: instances.reasonCode,
        })
        .from(instances)
        .leftJoin(users, eq(users.id, instances.startedBy))
        .where(and(eq(instances.participationId, participationId), eq(instances.challengeId, challengeId)))
        .orderBy(desc(instances.startedAt), desc(instances.id))
        .limit(limit),
  }
}

export type FactInstanceRow = Awaited<ReturnType<ReturnType<typeof createTicketFactsRepository>['listInstances']>>[number]
