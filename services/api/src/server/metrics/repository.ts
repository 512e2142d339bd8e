import type { Executor } from '@capstan/db/client'
import { instances } from '@capstan/db/schema/instances'
import { count, isNull } from 'drizzle-orm'

/** Counts live instances by status. A status without instances has the count 0. */
export async function countLiveInstances(db: Executor): Promise<Map<'Pending' | 'Running', number>> {
  const rows = await db
    .select({ status: instances.status, total: count() })
    .from(instances)
    .where(isNull(instances.endedAt))
    .groupBy(instances.status)
  const totals = new Map<'Pending' | 'Running', number>([
    ['Pending', 0],
    ['Running', 0],
  ])
  for (const { status, total } of rows) if (status !== 'Destroyed') totals.set(status, total)
  return totals
}
