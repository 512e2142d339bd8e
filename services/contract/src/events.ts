import type { LogEntry } from './admin.ts'
import type { GameEvent, GameNotice } from './games.ts'
import { InputLimits } from './limits.ts'
import type { Submission } from './submissions.ts'

/**
 * Messages between the api and the gateways. A message can be lost, so clients fetch all data again after they reconnect.
 * `gameId` selects the room of clients that get the message. `payload` has the same JSON as the response of the corresponding
 * HTTP call.
 */
export type RealtimeMessage =
  | Readonly<{ kind: 'notice'; gameId: number; payload: GameNotice }>
  | Readonly<{ kind: 'event'; gameId: number; payload: GameEvent }>
  | Readonly<{ kind: 'submission'; gameId: number; payload: Submission }>
  | Readonly<{ kind: 'log'; payload: LogEntry }>
  /**
   * All sessions of this user ended, or the user's role changed. Gateways close the user's sockets, which then authenticate
   * again.
   */
  | Readonly<{ kind: 'sessions-ended'; userId: string }>
  /** The instance ended. Gateways close proxied connections to the instance and drop cached lookups of the instance. */
  | Readonly<{ kind: 'instance-ended'; instanceId: string }>
  /**
   * The instance no longer has the address `from`, which another instance may get. Gateways close the connections to `from` that
   * belong to this instance.
   */
  | Readonly<{
      kind: 'instance-moved'
      instanceId: string
      from: Readonly<{ host: string; port: number }>
    }>
  /**
   * The instance refused a player while strangers were connected to its plain ports. Gateways close the connections of strangers
   * to the instance. For some time, gateways accept no strangers at this instance.
   */
  | Readonly<{ kind: 'instance-crowded'; instanceId: string }>
  /**
   * The instances of a team in the game have changed. The clients of the team's members (`userIds`) fetch the instances again.
   */
  | Readonly<{ kind: 'team-instances'; gameId: number; userIds: readonly string[] }>
  /** A ticket of a team has changed. The clients of the team's members (`userIds`) and of organizers fetch the tickets again. */
  | Readonly<{ kind: 'ticket'; gameId: number; userIds: readonly string[] }>
  /** Message with the number of clients in each hub room of a gateway. Each gateway sends the message at regular intervals. */
  | Readonly<{ kind: 'gateway-clients'; gatewayId: string; rooms: readonly HubRoomSize[] }>

/** Number of hub clients that a gateway has in one room. */
export type HubRoomSize = Readonly<{
  hub: keyof typeof hubs
  /** Id of the room's game. Null if the hub has no games. */
  gameId: number | null
  clients: number
}>

/** Interval at which each gateway sends `gateway-clients`, in ms. */
export const gatewayClientsIntervalMs = 5_000

/**
 * The three hubs, each with its address, its required role, and the SignalR target for each kind of message. Contract:
 * `x-realtime`.
 */
export const hubs = {
  user: { path: '/hub/user', access: 'anonymous', needsGame: true, targets: { notice: 'ReceivedGameNotice' } },
  monitor: {
    path: '/hub/monitor',
    access: 'monitor',
    needsGame: true,
    targets: { event: 'ReceivedGameEvent', submission: 'ReceivedSubmissions' },
  },
  admin: { path: '/hub/admin', access: 'admin', needsGame: false, targets: { log: 'ReceivedLog' } },
} as const

/**
 * Additional messages of the hub `user`, which report a change of the instances or tickets of the caller's team. Clients request
 * them with `?team=true` in the address of the hub. The only argument is the game id, so clients fetch the data by HTTP.
 */
export const ownTeamNews = {
  hub: 'user',
  query: 'team',
  targets: { 'team-instances': 'ReceivedTeamInstances', ticket: 'ReceivedTeamTickets' },
} as const

/**
 * Additional message of the hub `monitor`, which reports that a ticket of the game has changed. Clients request this message with
 * `?tickets=true`.
 */
export const deskNews = { hub: 'monitor', query: 'tickets', target: 'ReceivedTickets' } as const

/**
 * Game id with which the test of an installation publishes messages to a room. No game has this id, because it is the maximum.
 */
export const liveCheckGameId = InputLimits.maxInt32
