import { logOrders } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentLog } from './presenter.ts'
import { createLogRepository } from './repository.ts'

/** Routes of the platform log for admins. Rules: docs/contract/admin.md#log. */
export const logRoutes: FastifyPluginAsync = async (app) => {
  const logs = createLogRepository(app.deps.db)

  app.operation(operations.listLogs, async ({ query, ...call }) => {
    const level = query.level === undefined || query.level.toLowerCase() === 'all' ? undefined : query.level
    const page = { count: query.count ?? PageLimits.short, skip: query.skip ?? 0 }
    return (await app.searchInTurn(call, () => logs.listPage(level, page))).map(presentLog)
  })

  app.operation(ownOperations.findLogs, async ({ query, ...call }) => {
    const filter = { sort: logOrders[0], descending: true, count: PageLimits.short, skip: 0, ...query }
    return (await app.searchInTurn(call, () => logs.findBy(filter))).map(presentLog)
  })
}
