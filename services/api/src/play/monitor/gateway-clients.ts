import type { MessageBus } from '@capstan/bus/message-bus'
import { gatewayClientsIntervalMs, type HubRoomSize } from '@capstan/contract/events'
import type { Clock } from '../../server/http/clock.ts'

/** A gateway that has missed two of its messages is gone. */
const silenceMs = 3 * gatewayClientsIntervalMs

export type ClientCounts = Readonly<{
  gateways: number
  players: number
  monitors: number
}>

/** Listens to what the gateways say about their clients, and adds it up. */
export function createGatewayClients({ bus, clock }: { readonly bus: MessageBus; readonly clock: Clock }) {
  const heard = new Map<string, { readonly at: number; readonly rooms: readonly HubRoomSize[] }>()
  const close = bus.subscribe((message) => {
    if (message.kind === 'gateway-clients') heard.set(message.gatewayId, { at: clock.now().getTime(), rooms: message.rooms })
  })
  return {
    /** Clients that follow a game, as far as was heard lately. */
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
