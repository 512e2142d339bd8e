import { type Static, Type } from 'typebox'
import { Role } from './common.ts'
import { instantInput, nullable, nullableString, Uuid } from './kit.ts'
import { InputLimits, InstanceLimits, notNegative } from './limits.ts'
import { ChallengeSpeech, InstanceWay } from './reach.ts'

/**
 * Calls of the gateway to the api, because the gateway has no database. They are served under `/internal` to callers with the
 * shared secret (header `authorization: Bearer ...`), and no Ingress routes them.
 */

export type SessionQuestion = Readonly<{
  /** Header `Cookie`, or empty. */
  cookie: string
  /** Header `Authorization`, if an API token may replace a session. */
  authorization?: string
  /** Protocol of the client, as far as the gateway's trusted proxies report it. It determines which cookie counts. */
  protocol: 'http' | 'https'
}>

/** Header with `SessionQuestion.protocol`. Without it the client used plain HTTP. */
export const clientProtocolHeader = 'x-capstan-client-protocol'

/** Header with `SessionQuestion.authorization`. */
export const clientAuthorizationHeader = 'x-capstan-client-authorization'

/** User of a session cookie or API token, which is a monitor at most. Null if there is none. */
export const SessionIdentity = nullable(
  Type.Object({
    userId: Type.String({ format: 'uuid' }),
    role: Role,
    /** Game of an API token that is limited to one. */
    gameId: Type.Optional(Type.Integer()),
  }),
)
export type SessionIdentity = Static<typeof SessionIdentity>

/** Address of a proxied instance. */
export const ProxyTarget = Type.Union([
  Type.Object({
    state: Type.Literal('ready'),
    host: Type.String(),
    port: Type.Integer(),
    kind: Type.Union([Type.Literal('team'), Type.Literal('test')]),
  }),
  Type.Object({ state: Type.Literal('unknown') }),
  /** It has no current address: its pod is starting or being replaced, and another instance may have the old address. */
  Type.Object({ state: Type.Literal('unreachable'), kind: Type.Union([Type.Literal('team'), Type.Literal('test')]) }),
  /** The platform uses direct addresses. */
  Type.Object({ state: Type.Literal('proxy-off') }),
])
export type ProxyTarget = Static<typeof ProxyTarget>

/**
 * Name of an instance in a client's address: the first label of a host or server name (`readInstanceName`), or the port of the
 * connection.
 */
export type InstanceRoute = { readonly label: string } | { readonly port: number }

/** Current target of a route. */
export const RouteTarget = Type.Union([
  Type.Object({
    state: Type.Literal('ready'),
    instanceId: Type.String(),
    host: Type.String(),
    port: Type.Integer(),
    kind: Type.Union([Type.Literal('team'), Type.Literal('test')]),
    speaks: ChallengeSpeech,
    isRaw: Type.Boolean(),
    hasOwnCertificate: Type.Boolean(),
    /** Access key, or absent if the instance is public. */
    key: Type.Optional(Type.String()),
    /** Entry port of the instance, which identifies its address. Absent if `port` is the entry. */
    entryPort: Type.Optional(Type.Integer()),
    /** Requested port of the container, for rows, whereas `port` is its actual port. Absent for the entry. */
    furtherPort: Type.Optional(Type.Integer()),
    /** For ports: recent addresses of the instance's players, as keys of `addressLimitKey`. */
    playerAddresses: Type.Optional(Type.Array(Type.String({ maxLength: InputLimits.maxAddressLength }))),
  }),
  /** It exists but has no current address. */
  Type.Object({ state: Type.Literal('starting') }),
  Type.Object({ state: Type.Literal('ended') }),
  Type.Object({ state: Type.Literal('unknown') }),
])
export type RouteTarget = Static<typeof RouteTarget>

/** Finished or running proxied connection, as the gateway reports it. Bytes are counted from the client's view. */
export const ProxyConnectionReport = Type.Object({
  id: Uuid,
  instanceId: Uuid,
  clientAddress: Type.String({ maxLength: InputLimits.maxAddressLength }),
  userId: nullableString({ format: 'uuid', maxLength: InputLimits.uuidLength }),
  /** Absent from a gateway that only supports WebSockets. */
  way: Type.Optional(InstanceWay),
  /** Port of the container, or absent for its entry. */
  port: Type.Optional(Type.Integer({ minimum: InstanceLimits.minPort, maximum: InstanceLimits.maxPort })),
  bytesSent: Type.Integer({ ...notNegative, maximum: InputLimits.maxCount }),
  bytesReceived: Type.Integer({ ...notNegative, maximum: InputLimits.maxCount }),
  openedAt: instantInput(),
  closedAt: nullableString({ format: 'date-time', maxLength: InputLimits.maxInstantLength }),
})

export const ProxyConnectionReports = Type.Array(ProxyConnectionReport, { maxItems: InputLimits.maxReportsPerCall })
export type ProxyConnectionReport = Static<typeof ProxyConnectionReport>

export interface GatewayBackend {
  /**
   * Returns the current user of these cookies or this API token, or null. Must not be cached, because it decides about access.
   */
  session(question: SessionQuestion): Promise<SessionIdentity>
  gameExists(gameId: number): Promise<boolean>
  /** Returns the address of a team or test container. */
  proxyTarget(instanceId: string): Promise<ProxyTarget>
  /** Returns the current target of a label or port. */
  route(route: InstanceRoute): Promise<RouteTarget>
  /** Stores rows of proxied connections. It is idempotent by id, so reports may be repeated. */
  reportConnections(reports: readonly ProxyConnectionReport[]): Promise<void>
}

export const internalPaths = {
  /** GET with the client's header `cookie`, `clientProtocolHeader` and `clientAuthorizationHeader`: SessionIdentity. */
  session: '/internal/session',
  /** GET: `true` or `false`. */
  game: (gameId: number) => `/internal/games/${gameId}`,
  /** GET: ProxyTarget. */
  proxyTarget: (instanceId: string) => `/internal/proxy/${instanceId}`,
  /** GET: RouteTarget. */
  route: (route: InstanceRoute) => ('label' in route ? `/internal/labels/${route.label}` : `/internal/ports/${route.port}`),
  /** POST: ProxyConnectionReport[]; idempotent by id. */
  proxyConnections: '/internal/proxy-connections',
} as const
