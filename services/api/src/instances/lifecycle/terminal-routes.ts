// Terminals in containers of test instances. Rules: docs/contract/instances.md#terminals.
import { ownOperations } from '@capstan/contract/operations'
import { Problem } from '@capstan/contract/problems'
import { isTerminalAddress } from '@capstan/contract/terminal-address'
import { Guard } from '@capstan/http/guard'
import type { FastifyInstance } from 'fastify'
import { isOwnOrigin } from '../../server/plugins/origin.ts'
import { getTerminalOpener, isTestRunning, openContainerTerminal } from './container-service.ts'
import { createTerminalRelay } from './container-terminal.ts'
import { acceptWebSocketUpgrades } from './terminal-upgrade.ts'

/** Serves terminals as WebSockets to browsers of admins. */
export function registerTerminalRoutes(app: FastifyInstance): void {
  const deps = { ...app.deps, log: app.log }
  const upgrades = acceptWebSocketUpgrades(app, isTerminalAddress)
  const relay = createTerminalRelay(deps)
  app.addHook('preClose', async () => relay.close())

  app.operation(ownOperations.openTerminal, async ({ user, params, record, request, reply }) => {
    const { socket } = request
    const { origin } = request.headers
    // Check the origin of the page that opens the WebSocket. Browsers always send this origin. They may send the cookies of this
    // platform even if the page belongs to another site.
    if (origin === undefined || !isOwnOrigin(origin, request, deps.config.publicOrigin)) throw new Problem('request.origin')
    await getTerminalOpener(deps, params.id)
    if (!upgrades.isUpgrade(request.raw)) throw new Problem('request.invalid')
    const guard = new Guard(app.log, socket)
    const freeSeat = relay.takeSeat(user.id)
    if (socket.destroyed) freeSeat()
    else guard.once(socket, 'close', freeSeat)
    const container = await openContainerTerminal(deps, params)
    if (socket.destroyed) {
      container.terminate()
      return reply.hijack()
    }
    guard.once(socket, 'close', () => container.terminate())
    const place = `container "${params.name}" of test instance ${params.id}`
    upgrades.accept(reply, (browser) => {
      request.span?.end({ attributes: { 'http.response.status_code': 101 } })
      record(`Opened a terminal in ${place}`)
      relay.join(browser, container, {
        isAllowed: async () =>
          (await app.isStillAuthorized(request, ownOperations.openTerminal.access)) && (await isTestRunning(deps, params.id)),
        onEnd: (end) => record(`Closed the terminal in ${place} (${end})`),
      })
    })
    return reply
  })
}
