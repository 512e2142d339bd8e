import type { HubRoomSize } from '@capstan/contract/events'
import type { HubName } from '../http/address.ts'
import type { HubConnection } from './hub-connection.ts'

/** Clients that receive the same messages: all clients of one hub, or of one game if the hub has games. */
export type Room = Readonly<{
  hub: HubName
  gameId: number | undefined
  members: Set<HubConnection>
}>

/** Rooms of a gateway. A room exists while it has members. */
export class Rooms {
  readonly #rooms = new Map<string, Room>()

  join(hub: HubName, gameId: number | undefined, connection: HubConnection): Room {
    const key = keyOf(hub, gameId)
    const room = this.#rooms.get(key) ?? { hub, gameId, members: new Set() }
    this.#rooms.set(key, room)
    room.members.add(connection)
    return room
  }

  leave(room: Room, connection: HubConnection): void {
    room.members.delete(connection)
    const key = keyOf(room.hub, room.gameId)
    if (room.members.size === 0 && this.#rooms.get(key) === room) this.#rooms.delete(key)
  }

  sizes(): HubRoomSize[] {
    return [...this.#rooms.values()].map(({ hub, gameId, members }) => ({ hub, gameId: gameId ?? null, clients: members.size }))
  }

  find(hub: HubName, gameId: number | undefined): Room | undefined {
    return this.#rooms.get(keyOf(hub, gameId))
  }
}

function keyOf(hub: HubName, gameId: number | undefined): string {
  return gameId === undefined ? hub : `${hub}/${gameId}`
}
