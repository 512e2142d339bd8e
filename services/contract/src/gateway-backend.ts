import { type Static, Type } from 'typebox'
import { Role } from './common.ts'
import { instantInput, nullable, nullableString, Uuid } from './kit.ts'
import { InputLimits, InstanceLimits, notNegative } from './limits.ts'
import { ChallengeSpeech, InstanceWay } from './reach.ts'

/**
 * What a gateway asks the api: the gateway has no database of its own.
 * Served under `/internal`, for callers that know the shared secret (header `authorization: Bearer ...`), never routed by an Ingress.
 */

/** What a client brings that may be somebody's session. */
export interface SessionQuestion {
  /** Its header `Cookie`; empty: none. */
  readonly cookie: string
  /** Its header `Authorization`, where an API token may stand in for a session. */
  readonly authorization?: string
  /** How it reached the platform, as far as the gateway's trusted proxies tell: it decides which cookie counts. */
  readonly protocol: 'http' | 'https'
}

/** Carries `SessionQuestion.protocol`; without it the client came by plain HTTP. */
export const clientProtocolHeader = 'x-capstan-client-protocol'

/** Carries `SessionQuestion.authorization`. */
export const clientAuthorizationHeader = 'x-capstan-client-authorization'

/** Who is behind a session cookie, or behind an API token, which is a monitor at most. Null: nobody. */
export const SessionIdentity = nullable(
  Type.Object({
    userId: Type.String({ format: 'uuid' }),
    role: Role,
    /** The one game that an API token is for. */
    gameId: Type.Optional(Type.Integer()),
  }),
)
export type SessionIdentity = Static<typeof SessionIdentity>

/** Where a proxied instance listens. */
export const ProxyTarget = Type.Union([
  Type.Object({
    state: Type.Literal('ready'),
    host: Type.String(),
    port: Type.Integer(),
    kind: Type.Union([Type.Literal('team'), Type.Literal('test')]),
  }),
  /** No such instance. */
  Type.Object({ state: Type.Literal('unknown') }),
  /** It has no address yet, or none at this moment: what it ran in is gone or being replaced, and others may have been given that address. */
  Type.Object({ state: Type.Literal('unreachable'), kind: Type.Union([Type.Literal('team'), Type.Literal('test')]) }),
  /** The platform hands out direct addresses. */
  Type.Object({ state: Type.Literal('proxy-off') }),
])
export type ProxyTarget = Static<typeof ProxyTarget>

/**
 * By what a client names an instance: what stands before the domain in a host name or server name (`readInstanceName`), or the port
 * that it came to.
 */
export type InstanceDoor = { readonly label: string } | { readonly port: number }

/** What is behind a door at this moment. */
export const DoorTarget = Type.Union([
  Type.Object({
    state: Type.Literal('ready'),
    instanceId: Type.String(),
    host: Type.String(),
    port: Type.Integer(),
    kind: Type.Union([Type.Literal('team'), Type.Literal('test')]),
    speaks: ChallengeSpeech,
    isRaw: Type.Boolean(),
    hasOwnCertificate: Type.Boolean(),
    /** What opens it; absent: whoever comes may come in. */
    key: Type.Optional(Type.String()),
    /** Of the instance's entry, by which its address is known; absent: this is it. */
    entryPort: Type.Optional(Type.Integer()),
    /** The port of the container that was named, for rows: `port` is where it is. Absent: the entry. */
    furtherPort: Type.Optional(Type.Integer()),
    /** Of a port: where the players of its instance were last seen, as `addressLimitKey` names addresses. */
    playerAddresses: Type.Optional(Type.Array(Type.String({ maxLength: InputLimits.addressMaxLength }))),
  }),
  /** It lives, and has no address yet, or none at this moment. */
  Type.Object({ state: Type.Literal('starting') }),
  Type.Object({ state: Type.Literal('ended') }),
  Type.Object({ state: Type.Literal('unknown') }),
])
export type DoorTarget = Static<typeof DoorTarget>

/** A finished or running proxied connection, as the gateway reports it. Bytes as seen from the client. */
export const ProxyConnectionReport = Type.Object({
  id: Uuid,
  instanceId: Uuid,
  clientAddress: Type.String({ maxLength: InputLimits.addressMaxLength }),
  userId: nullableString({ format: 'uuid', maxLength: InputLimits.uuidLength }),
  /** Absent: from a gateway that knows of WebSockets alone. */
  way: Type.Optional(InstanceWay),
  /** Of the container. Absent: its entry. */
  port: Type.Optional(Type.Integer({ minimum: InstanceLimits.portMin, maximum: InstanceLimits.portMax })),
  bytesSent: Type.Integer({ ...notNegative, maximum: InputLimits.countMax }),
  bytesReceived: Type.Integer({ ...notNegative, maximum: InputLimits.countMax }),
  openedAt: instantInput(),
  closedAt: nullableString({ format: 'date-time', maxLength: InputLimits.instantMaxLength }),
})

/** Body of the call that takes them. */
export const ProxyConnectionReports = Type.Array(ProxyConnectionReport, { maxItems: InputLimits.reportsPerCallMax })
export type ProxyConnectionReport = Static<typeof ProxyConnectionReport>

/**
 * The questions as functions: calls over HTTP between processes, plain functions of the api where both run in one process. A rejected
 * promise means that the api cannot answer now; the client is told to try later.
 */
export interface GatewayBackend {
  /** Who is behind these cookies, or this API token, at this moment; null: nobody. Must not be cached: it decides about access. */
  session(question: SessionQuestion): Promise<SessionIdentity>
  gameExists(gameId: number): Promise<boolean>
  /** Where the container of this UUID listens, whether it belongs to a team or is a test. */
  proxyTarget(instanceId: string): Promise<ProxyTarget>
  /** What is behind a label or a port at this moment. */
  door(door: InstanceDoor): Promise<DoorTarget>
  /** Stores rows of proxied connections; idempotent by id, so a report may come again. */
  reportConnections(reports: readonly ProxyConnectionReport[]): Promise<void>
}

/** Paths of the calls on the api. */
export const internalPaths = {
  /** GET, header `cookie` of the client passed on, `clientProtocolHeader` and `clientAuthorizationHeader`: SessionIdentity. */
  session: '/internal/session',
  /** GET: `true` or `false`. */
  game: (gameId: number) => `/internal/games/${gameId}`,
  /** GET: ProxyTarget. */
  proxyTarget: (instanceId: string) => `/internal/proxy/${instanceId}`,
  /** GET: DoorTarget. */
  door: (door: InstanceDoor) => ('label' in door ? `/internal/labels/${door.label}` : `/internal/ports/${door.port}`),
  /** POST: ProxyConnectionReport[]; idempotent by id. */
  proxyConnections: '/internal/proxy-connections',
} as const
