import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Limits, WebSocketLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { Guard } from '@capstan/http/guard'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'

interface Upgrade {
  socket: Socket
  head: Buffer
  response: ServerResponse
}

type UpgradeDecision = (request: IncomingMessage) => boolean

/**
 * Lets a route of the app accept WebSockets. An upgrade passes the same hooks as any other request, so authentication, rate
 * limits and responses are the same. Requests for other addresses remain plain requests.
 */
export function acceptWebSocketUpgrades(app: FastifyInstance, isUpgradable: (url: string) => boolean) {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>()
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: Limits.maxTerminalMessageBytes,
    ...WebSocketLimits,
    perMessageDeflate: false,
    clientTracking: false,
  })
  const server = app.server as Server & { shouldUpgradeCallback?: UpgradeDecision }
  const { shouldUpgradeCallback: mayUpgrade } = server
  new Guard(app.log).on(server, 'upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!(socket instanceof Socket)) return void socket.destroy()
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    upgrades.set(request, { socket, head, response })
    new Guard(app.log, socket).once(response, 'finish', () => socket.destroySoon())
    return app.routing(request, response)
  })
  // Upgrade only these requests. Otherwise every route of the app would have to respond to upgrades.
  server.shouldUpgradeCallback = (request) => isUpgradable(request.url ?? '') && (mayUpgrade?.(request) ?? false)

  return {
    isUpgrade: (request: IncomingMessage) => upgrades.has(request),
    /** Accepts the WebSocket instead of sending a response. `onOpen` is not called if the handshake fails. */
    accept(reply: FastifyReply, onOpen: (socket: WebSocket) => void): void {
      const request = reply.request.raw
      const upgrade = upgrades.get(request)
      if (!upgrade) throw new Problem('request.invalid')
      const { socket, head, response } = upgrade
      reply.hijack()
      response.detachSocket(socket)
      new Guard(app.log, socket).run(() => sockets.handleUpgrade(request, socket, head, onOpen))
    },
  }
}
