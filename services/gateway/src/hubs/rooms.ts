import type { HubRoomSize } from '@capstan/contract/events'
import type { HubName } from '../http/address.ts'
import type { HubConnection } from './hub-connection.ts'

/**
 * Some clients of a room. Either they belong to members of one team (by user id) and requested the messages of this
 * team, or they requested messages about all tickets (`desk`).
 */
export type Audience = `member/${string}` | 'desk'

/** Clients that receive the same messages: all clients of one hub, or of one game if the hub has games, or an audience of these. */
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

  /** Returns the sizes of the rooms. Audiences are omitted, because each of their members also belongs to a room. */
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
