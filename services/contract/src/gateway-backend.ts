import { type Static, Type } from 'typebox'
import { Role } from './common.ts'
import { instantInput, nullable, nullableString, Uuid } from './kit.ts'
import { InputLimits, InstanceLimits, notNegative } from './limits.ts'
import { ChallengeSpeech, InstanceWay } from './reach.ts'

/**
 * Calls that the gateway makes to the api, because the gateway has no database. The api serves them under `/internal` to callers
 * with the shared secret (header `authorization: Bearer ...`). No Ingress routes them.
 */

export type SessionQuestion = Readonly<{
  /** Value of the header `Cookie`, or empty. */
  cookie: string
  /** Value of the header `Authorization`, if an API token may replace a session. */
  authorization?: string
  /**
   * Protocol of the client, if a trusted proxy of the gateway reports it. The protocol determines which session cookie counts.
   */
  protocol: 'http' | 'https'
}>

/** Header with `SessionQuestion.protocol`. If it is absent, the client used plain HTTP. */
export const clientProtocolHeader = 'x-capstan-client-protocol'

/** Header with `SessionQuestion.authorization`. */
export const clientAuthorizationHeader = 'x-capstan-client-authorization'

/** User of a session cookie or API token, or null. The user of a token has the role Monitor here, even an admin. */
export const SessionIdentity = nullable(
  Type.Object({
    userId: Type.String({ format: 'uuid' }),
    role: Role,
    /** Game of an API token that is limited to one game. */
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
    /** Current addresses of the ports of additional containers. */
    further: Type.Optional(Type.Array(Type.Object({ host: Type.String(), port: Type.Integer() }))),
  }),
  Type.Object({ state: Type.Literal('unknown') }),
  /**
   * The instance has no current address, because its pod is starting or being replaced. Another instance may already have the old
   * address.
   */
  Type.Object({ state: Type.Literal('unreachable'), kind: Type.Union([Type.Literal('team'), Type.Literal('test')]) }),
  /** The platform uses direct addresses instead of the proxy. */
  Type.Object({ state: Type.Literal('proxy-off') }),
])
export type ProxyTarget = Static<typeof ProxyTarget>

/**
 * Part of a client's address that identifies the wanted instance: the first label of a host or server name (`readInstanceName`),
 * or the port of the connection.
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
    /** Access key. Absent if the instance is public. */
    key: Type.Optional(Type.String()),
    /**
     * Entry port of the container. Together with `host`, it identifies the instance if `port` is another port. Absent if `port`
     * is the entry port, or belongs to an additional container with a separate address.
     */
    entryPort: Type.Optional(Type.Integer()),
    /**
     * Container port that the client requested, for the connection log. It can differ from `port`, the actual port of the pod.
     * Absent if the client requested the entry port.
     */
    furtherPort: Type.Optional(Type.Integer()),
    /** Recent addresses of the instance's players, as keys of `addressLimitKey`. Only present for routes by port. */
    playerAddresses: Type.Optional(Type.Array(Type.String({ maxLength: InputLimits.maxAddressLength }))),
  }),
  /** The instance exists but has no current address. */
  Type.Object({ state: Type.Literal('starting') }),
  Type.Object({ state: Type.Literal('ended') }),
  Type.Object({ state: Type.Literal('unknown') }),
])
export type RouteTarget = Static<typeof RouteTarget>

/**
 * Report of a gateway on a proxied connection that is open or has ended. Bytes count as sent or received from the client's view.
 */
export const ProxyConnectionReport = Type.Object({
  id: Uuid,
  instanceId: Uuid,
  clientAddress: Type.String({ maxLength: InputLimits.maxAddressLength }),
  userId: nullableString({ format: 'uuid', maxLength: InputLimits.uuidLength }),
  /** Way of the connection. Older gateways omit it, because they support only WebSockets. */
  way: Type.Optional(InstanceWay),
  /** Port of the container. Absent if it is the entry port. */
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
   * Returns the current user of these cookies or this API token, or null. The result controls access, so it must not be cached.
   */
  session(question: SessionQuestion): Promise<SessionIdentity>
  gameExists(gameId: number): Promise<boolean>
  /** Returns the address of a team's instance or of a test container. */
  proxyTarget(instanceId: string): Promise<ProxyTarget>
  /** Returns the current target of a host name label or port. */
  route(route: InstanceRoute): Promise<RouteTarget>
  /**
   * Stores proxied connections, or updates those that are already stored. A gateway may repeat a report, because each connection
   * has an id.
   */
  reportConnections(reports: readonly ProxyConnectionReport[]): Promise<void>
}

export const internalPaths = {
  /** GET with the headers `cookie`, `clientProtocolHeader` and `clientAuthorizationHeader`. Returns a SessionIdentity. */
  session: '/internal/session',
  /** GET. Returns `true` or `false`. */
  game: (gameId: number) => `/internal/games/${gameId}`,
  /** GET. Returns a ProxyTarget. */
  proxyTarget: (instanceId: string) => `/internal/proxy/${instanceId}`,
  /** GET. Returns a RouteTarget. */
  route: (route: InstanceRoute) => ('label' in route ? `/internal/labels/${route.label}` : `/internal/ports/${route.port}`),
  /** POST with a ProxyConnectionReport[]. It may be repeated, because each connection has an id. */
  proxyConnections: '/internal/proxy-connections',
} as const
