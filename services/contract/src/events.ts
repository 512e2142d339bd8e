import type { LogEntry } from './admin.ts'
import type { GameEvent, GameNotice } from './games.ts'
import { InputLimits } from './limits.ts'
import type { Submission } from './submissions.ts'

/**
 * Messages between the api and the gateways. A message may be lost, so clients refetch after a reconnect. `gameId` selects the
 * room. The payload is the JSON of the matching HTTP call.
 */
export type RealtimeMessage =
  | Readonly<{ kind: 'notice'; gameId: number; payload: GameNotice }>
  | Readonly<{ kind: 'event'; gameId: number; payload: GameEvent }>
  | Readonly<{ kind: 'submission'; gameId: number; payload: Submission }>
  | Readonly<{ kind: 'log'; payload: LogEntry }>
  /** All sessions of this user ended, or the role changed. The user's sockets are closed and authenticate again. */
  | Readonly<{ kind: 'sessions-ended'; userId: string }>
  /** The instance ended. Its proxied connections are closed and its cached lookups dropped. */
  | Readonly<{ kind: 'instance-ended'; instanceId: string }>
  /** The instance left this address, which another one may get. Its proxied connections to the address are closed. */
  | Readonly<{
      kind: 'instance-moved'
      instanceId: string
      from: Readonly<{ host: string; port: number }>
    }>
  /** The instances of this team in the game changed, so its members refetch them. */
  | Readonly<{ kind: 'team-instances'; gameId: number; userIds: readonly string[] }>
  /** Reports the number of clients of a gateway to the api at intervals. A gateway that stops reporting counts as stopped. */
  | Readonly<{ kind: 'gateway-clients'; gatewayId: string; rooms: readonly HubRoomSize[] }>

/** Number of clients of one gateway in one room. */
export type HubRoomSize = Readonly<{
  hub: keyof typeof hubs
  /** Null if the hub has no games. */
  gameId: number | null
  clients: number
}>

/** Interval of `gateway-clients`, in ms. */
export const gatewayClientsIntervalMs = 5_000

/** The three hubs: address, required role, and SignalR target of each message kind. Contract `x-realtime`. */
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
 * Own message of the hub `user`, for clients that add `{query}=true` to its address. It reports that the instances of the
 * caller's team changed. Its argument is the game, and clients refetch the instances by HTTP.
 */
export const ownTeamNews = { hub: 'user', query: 'team', target: 'ReceivedTeamInstances' } as const

/** Game id of the room that tests an installation. It is the largest possible id, so no game has it. */
export const liveCheckGameId = InputLimits.maxInt32
