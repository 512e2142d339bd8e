import type { MessageBus } from '@capstan/bus/message-bus'
import { gatewayClientsIntervalMs, type HubRoomSize } from '@capstan/contract/events'
import type { Clock } from '../../server/http/clock.ts'

/** Maximum time since the last message of a running gateway, in ms. Two messages in a row may be lost. */
const silenceMs = 3 * gatewayClientsIntervalMs

export type ClientCounts = Readonly<{
  gateways: number
  players: number
  monitors: number
}>

export function createGatewayClients({ bus, clock }: Readonly<{ bus: MessageBus; clock: Clock }>) {
  const heard = new Map<string, Readonly<{ at: number; rooms: readonly HubRoomSize[] }>>()
  const close = bus.subscribe((message) => {
    if (message.kind === 'gateway-clients') heard.set(message.gatewayId, { at: clock.now().getTime(), rooms: message.rooms })
  })
  return {
    /** Returns the number of clients that follow a game, according to recent reports. */
    count(gameId: number): ClientCounts {
      const since = clock.now().getTime() - silenceMs
      for (const [id, { at }] of heard) if (at < since) heard.delete(id)
      const rooms = [...heard.values()].flatMap((gateway) => gateway.rooms).filter((room) => room.gameId === gameId)
      const sum = (hub: HubRoomSize['hub']) =>
        rooms.filter((room) => room.hub === hub).reduce((total, { clients }) => total + clients, 0)
      return { gateways: heard.size, players: sum('user'), monitors: sum('monitor') }
    },
    close,
  }
}

export type GatewayClients = ReturnType<typeof createGatewayClients>
