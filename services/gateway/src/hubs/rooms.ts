import type { HubRoomSize } from '@capstan/contract/events'
import type { HubName } from '../http/address.ts'
import type { HubConnection } from './hub-connection.ts'

/**
 * Some clients of a room. `member/` with a user id: clients of this user that requested the messages of the user's team. `desk`:
 * clients that requested messages about all tickets.
 */
export type Audience = `member/${string}` | 'desk'

/**
 * Clients that receive the same messages. A room contains the clients of a hub, or of one game if the hub has games. A room with an
 * audience contains only the clients of this audience.
 */
export type Room = Readonly<{
  hub: HubName
  gameId: number | undefined
  audience: Audience | undefined
  members: Set<HubConnection>
}>

/** Rooms of a gateway. A room exists while it has members. */
export class Rooms {
  readonly #rooms = new Map<string, Room>()

  join(connection: HubConnection, hub: HubName, gameId: number | undefined, audience?: Audience): Room {
    const key = keyOf(hub, gameId, audience)
    const room = this.#rooms.get(key) ?? { hub, gameId, audience, members: new Set() }
    this.#rooms.set(key, room)
    room.members.add(connection)
    return room
  }

  leave(room: Room, connection: HubConnection): void {
    room.members.delete(connection)
    const key = keyOf(room.hub, room.gameId, room.audience)
    if (room.members.size === 0 && this.#rooms.get(key) === room) this.#rooms.delete(key)
  }

  /** Returns the number of clients of each hub and game. A client that is in two rooms counts once. */
  sizes(): HubRoomSize[] {
    return [...this.#rooms.values()]
      .filter(({ audience }) => audience === undefined)
      .map(({ hub, gameId, members }) => ({ hub, gameId: gameId ?? null, clients: members.size }))
  }

  find(hub: HubName, gameId: number | undefined, audience?: Audience): Room | undefined {
    return this.#rooms.get(keyOf(hub, gameId, audience))
  }
}

function keyOf(hub: HubName, gameId: number | undefined, audience: Audience | undefined): string {
  return [hub, gameId, audience].filter((part) => part !== undefined).join('/')
}
