import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { createDeskService } from './desk.ts'
import { createGatewayClients } from './gateway-clients.ts'
import { createMonitorService } from './service.ts'

/** Events, submissions and cheats of a game, for monitors. Rules: docs/contract/scoreboard-and-events.md#events. */
export const monitorRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, scoreboards: app.scoreboards }
  const monitor = createMonitorService(deps)
  const clients = createGatewayClients(app.deps)
  app.addHook('onClose', async () => clients.close())
  const desk = createDeskService(deps, clients)

  app.operation(operations.listEvents, async ({ params, query }) =>
    monitor.listEvents(params.id, {
      hideContainer: query.hideContainer ?? false,
      count: query.count ?? PageLimits.usual,
      skip: query.skip ?? 0,
    }),
  )

  app.operation(operations.listSubmissions, async ({ params, query }) =>
    monitor.listSubmissions(params.id, query.type, { count: query.count ?? PageLimits.usual, skip: query.skip ?? 0 }),
  )

  app.operation(operations.listCheats, async ({ params }) => monitor.listCheats(params.id))

  app.operation(ownOperations.listConnections, ({ params, query }) =>
    monitor.listConnections(params.id, {
      challengeId: query.challenge,
      participationId: query.participation,
      openOnly: query.open ?? false,
      hint: query.hint,
      count: query.count ?? PageLimits.usual,
      skip: query.skip ?? 0,
    }),
  )

  app.operation(ownOperations.getGameDesk, ({ params }) => desk.get(params.id))
}
