import { Limits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { disconnectSignalOf } from '../../server/http/disconnect-signal.ts'
import { createContainerLogRelay } from './container-log.ts'
import { listContainerEvents, listContainers, openContainerLog } from './container-service.ts'
import { presentReachOffer } from './presenter.ts'
import {
  destroyInstance,
  extendInstance,
  listInstanceAccess,
  listInstanceStates,
  listInstances,
  listInstanceUsage,
  listTeamInstances,
  startInstance,
  stopInstance,
} from './service.ts'
import { createStartLog } from './start-log.ts'
import { registerTerminalRoutes } from './terminal-routes.ts'
import { getTestInstanceReport, listTestInstanceAccess, startTestInstance, stopTestInstance } from './test-service.ts'
import { createUsageReader } from './usage-reader.ts'

/**
 * Serves containers of teams, test containers of organizers, and the admins' list of containers. Rules:
 * docs/contract/instances.md.
 */
export const instanceRoutes: FastifyPluginAsync = async (app) => {
  const usage = createUsageReader({ ...app.deps, log: app.log })
  const logs = createContainerLogRelay({ ...app.deps, log: app.log })
  app.addHook('preClose', async () => logs.close())
  const startLog = createStartLog(app.deps)
  app.addHook('onClose', async () => startLog.close())
  const deps = { ...app.deps, players: app.players, locks: app.locks, limiter: app.rateLimiter, startLog, logs, usage }

  app.operation(operations.startContainer, ({ user, params, record }) => startInstance(deps, params.id, params.cid, user, record))
  app.operation(operations.stopContainer, async ({ user, params, record }) => {
    await stopInstance(deps, params.id, params.cid, user, record)
    return undefined
  })
  app.operation(operations.extendContainer, ({ user, params, record }) =>
    extendInstance(deps, params.id, params.cid, user, record),
  )
  app.operation(ownOperations.listTeamInstances, ({ user, params }) => listTeamInstances(deps, params.id, user.id))

  app.operation(operations.listInstances, () => listInstances(deps))
  app.operation(ownOperations.listInstanceStates, () => listInstanceStates(deps))
  app.operation(ownOperations.listInstanceUsage, async () => listInstanceUsage(deps, await usage.read()))
  app.operation(operations.destroyInstance, async ({ params, record }) => {
    await destroyInstance(deps, params.id, record)
    return undefined
  })

  app.operation(ownOperations.listContainers, ({ params }) => listContainers(deps, params.id))
  app.operation(ownOperations.listContainerEvents, ({ params }) => listContainerEvents({ ...deps, log: app.log }, params))
  app.operation(ownOperations.readContainerLog, async ({ params, query, user, record, request, reply }) => {
    const signal = disconnectSignalOf(reply)
    const isAllowed = () => app.isStillAuthorized(request, ownOperations.readContainerLog.access)
    const { tailLines = Limits.maxLogTailLines, follow = false } = query
    const output = await openContainerLog(deps, params, { userId: user.id, tailLines, follow, signal, isAllowed }, record)
    return (
      reply
        // The page must get each line at once, so no proxy may buffer or compress the output.
        .headers({ 'cache-control': 'private, no-store, no-transform', 'x-accel-buffering': 'no' })
        .type('text/plain; charset=utf-8')
        .send(output)
    )
  })

  registerTerminalRoutes(app)

  app.operation(operations.startTestContainer, ({ params }) => startTestInstance(deps, params.id, params.cid))
  app.operation(operations.stopTestContainer, async ({ params }) => {
    await stopTestInstance(deps, params.id, params.cid)
    return undefined
  })
  app.operation(ownOperations.listInstanceWays, ({ user, params, record }) =>
    listInstanceAccess(deps, params.id, params.cid, user, record),
  )
  app.operation(ownOperations.listTestInstanceWays, ({ params }) => listTestInstanceAccess(deps, params.id, params.cid))
  app.operation(ownOperations.getReachOffer, async ({ request }) => {
    const { publicOrigin } = app.deps.config
    return presentReachOffer(app.deps, publicOrigin === undefined ? request.hostname : new URL(publicOrigin).hostname)
  })
  app.operation(ownOperations.getTestReport, ({ params }) => getTestInstanceReport(deps, params.id, params.cid))
}
