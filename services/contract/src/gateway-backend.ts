import { type Static, Type } from 'typebox'
import { Role } from './common.ts'
import { instantInputSchema, nullable, nullableString, Uuid } from './kit.ts'
import { InputLimits, InstanceLimits, notNegative } from './limits.ts'
import { ChallengeSpeech, InstanceWay } from './reach.ts'

/**
 * Calls from the gateway to the api. The gateway needs these calls, because it has no database. The api serves the calls under
 * `/internal` to callers with the shared secret (header `authorization: Bearer ...`). No Ingress forwards requests to
 * `/internal`.
 */

export type SessionQuestion = Readonly<{
  /** Value of the header `Cookie`, or empty. */
  cookie: string
  /**
   * Value of the header `Authorization`. Absent if the request has no such header, or if the gateway accepts only session cookies.
   */
  authorization?: string
  /**
   * Protocol that the client used, according to a trusted proxy, or else `http`. The name of the session cookie depends on the
   * protocol.
   */
  protocol: 'http' | 'https'
}>

/** Name of the header with `SessionQuestion.protocol`. Without the header, the api assumes plain HTTP. */
export const clientProtocolHeader = 'x-capstan-client-protocol'

/** Name of the header in which the gateway sends `SessionQuestion.authorization` to the api. */
export const clientAuthorizationHeader = 'x-capstan-client-authorization'

/**
 * User of a session cookie or an API token, or null if there is no user. For an API token, the role is Monitor even if the user
 * is an admin.
 */
export const SessionIdentity = nullable(
  Type.Object({
    userId: Type.String({ format: 'uuid' }),
    role: Role,
    /** Only game to which the API token gives access. Absent if the API token is not limited to a game. */
    gameId: Type.Optional(Type.Integer()),
  }),
)
export type SessionIdentity = Static<typeof SessionIdentity>

/** State and address of an instance to which players connect through the proxy. */
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
   * The instance has no current address, because its pod is starting or being replaced. Another instance may already have the
   * previous address.
   */
  Type.Object({ state: Type.Literal('unreachable'), kind: Type.Union([Type.Literal('team'), Type.Literal('test')]) }),
  /** Players connect directly to the addresses of instances, so the platform uses no proxy. */
  Type.Object({ state: Type.Literal('proxy-off') }),
])
export type ProxyTarget = Static<typeof ProxyTarget>

/** Part of an address that selects an instance: either the first label of the host name (`parseInstanceName`), or the port. */
export type InstanceRoute = { readonly label: string } | { readonly port: number }

/** State of the instance that a route selects. A ready instance also has its address and settings. */
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
    /** Access key that visitors need. Absent if the instance is not guarded. */
    key: Type.Optional(Type.String()),
    /** Entry port of the instance. Present only if `port` is an additional port of the entry container. */
    entryPort: Type.Optional(Type.Integer()),
    /**
     * Container port that the client requested, for the connection log. It may differ from `port`, which is the actual port of the
     * pod. Absent if the client requested the entry port.
     */
    furtherPort: Type.Optional(Type.Integer()),
    /** Recent addresses of the instance's players, as keys of `limitKeyOfIpAddress`. Only present for routes by port. */
    playerAddresses: Type.Optional(Type.Array(Type.String({ maxLength: InputLimits.maxAddressLength }))),
  }),
  /** The instance exists but has no current address. */
  Type.Object({ state: Type.Literal('starting') }),
  Type.Object({ state: Type.Literal('ended') }),
  Type.Object({ state: Type.Literal('unknown') }),
])
export type RouteTarget = Static<typeof RouteTarget>

/** Report of a gateway about an open or ended connection through the proxy. Bytes count as sent if the client sent them. */
export const ProxyConnectionReport = Type.Object({
  id: Uuid,
  instanceId: Uuid,
  clientAddress: Type.String({ maxLength: InputLimits.maxAddressLength }),
  userId: nullableString({ format: 'uuid', maxLength: InputLimits.uuidLength }),
  /** Kind of the connection, such as `http`. Older gateways omit it, because they support only WebSockets. */
  way: Type.Optional(InstanceWay),
  /** Port of the container. Absent if it is the entry port. */
  port: Type.Optional(Type.Integer({ minimum: InstanceLimits.minPort, maximum: InstanceLimits.maxPort })),
  bytesSent: Type.Integer({ ...notNegative, maximum: InputLimits.maxCount }),
  bytesReceived: Type.Integer({ ...notNegative, maximum: InputLimits.maxCount }),
  openedAt: instantInputSchema(),
  closedAt: nullableString({ format: 'date-time', maxLength: InputLimits.maxInstantLength }),
})

export const ProxyConnectionReports = Type.Array(ProxyConnectionReport, { maxItems: InputLimits.maxReportsPerCall })
export type ProxyConnectionReport = Static<typeof ProxyConnectionReport>

export interface GatewayBackend {
  /** Returns the current user of a session cookie or API token, or null. The result controls access, so it must not be cached. */
  session(question: SessionQuestion): Promise<SessionIdentity>
  gameExists(gameId: number): Promise<boolean>
  /** Returns the address of a team's instance or of a test container. */
  proxyTarget(instanceId: string): Promise<ProxyTarget>
  /** Returns the state of the instance that a route currently selects. */
  route(route: InstanceRoute): Promise<RouteTarget>
  /**
   * Stores proxied connections, or updates connections that are already stored. A gateway may send a report again, because each
   * connection has an id.
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
  /** POST with a ProxyConnectionReport[]. The call may be retried, because each connection has an id. */
  proxyConnections: '/internal/proxy-connections',
} as const
