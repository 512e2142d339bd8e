import type { LogEntry } from './admin.ts'
import type { GameEvent, GameNotice } from './games.ts'
import { InputLimits } from './limits.ts'
import type { Submission } from './submissions.ts'

/**
 * Everything that travels between the api and the gateways. A message may be lost: clients refetch after a reconnect.
 * `gameId` selects the room; the payload is the JSON of the matching HTTP call.
 */
export type RealtimeMessage =
  | { readonly kind: 'notice'; readonly gameId: number; readonly payload: GameNotice }
  | { readonly kind: 'event'; readonly gameId: number; readonly payload: GameEvent }
  | { readonly kind: 'submission'; readonly gameId: number; readonly payload: Submission }
  | { readonly kind: 'log'; readonly payload: LogEntry }
  /** Every session of this user ends, or its role changed: sockets of the user are closed and authenticate again. */
  | { readonly kind: 'sessions-ended'; readonly userId: string }
  /** The instance stopped: its proxied connections are closed, cached lookups forgotten. */
  | { readonly kind: 'instance-ended'; readonly instanceId: string }
  /** The instance left this address, which others may be given: its proxied connections to it are closed. */
  | {
      readonly kind: 'instance-moved'
      readonly instanceId: string
      readonly from: { readonly host: string; readonly port: number }
    }
  /** Something about the instances that this team runs in the game is different: its members read them again. */
  | { readonly kind: 'team-instances'; readonly gameId: number; readonly userIds: readonly string[] }
  /** Says again and again how many clients a gateway has; one that falls silent is gone. From the gateways to the api. */
  | { readonly kind: 'gateway-clients'; readonly gatewayId: string; readonly rooms: readonly HubRoomSize[] }

/** Clients of one gateway in one room. */
export interface HubRoomSize {
  readonly hub: keyof typeof hubs
  /** Null: the hub has no games. */
  readonly gameId: number | null
  readonly clients: number
}

/** How often a gateway sends `gateway-clients`. */
export const gatewayClientsIntervalMs = 5_000

/** The three hubs, their address, who may listen, and the SignalR target of each message kind. Contract `x-realtime`. */
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
 * A message of our own at the hub `user`, for whoever adds `{query}=true` to its address: the caller's team runs other instances
 * than before. Its argument is the game; what they are is asked by HTTP.
 */
export const ownTeamNews = { hub: 'user', query: 'team', target: 'ReceivedTeamInstances' } as const

/** Game whose room of `user` hears what an installation is checked with. The largest id there can be: no game ever gets to it. */
export const liveCheckGameId = InputLimits.int32Max
