import { type Static, Type } from 'typebox'
import { Role } from './common.ts'
import { nullable, nullableString } from './kit.ts'

/**
 * What a gateway asks the api: the gateway has no database of its own.
 * Served under `/internal`, for callers that know the shared secret (header `authorization: Bearer ...`), never routed by an Ingress.
 */

/** Who is behind a session cookie. Null: nobody. */
export const SessionIdentity = nullable(Type.Object({ userId: Type.String({ format: 'uuid' }), role: Role }))
export type SessionIdentity = Static<typeof SessionIdentity>

/** Where a proxied instance listens. */
export const ProxyTarget = Type.Union([
  Type.Object({
    state: Type.Literal('ready'),
    host: Type.String(),
    port: Type.Integer(),
    kind: Type.Union([Type.Literal('team'), Type.Literal('test')]),
  }),
  /** No such instance, or not listening yet. */
  Type.Object({ state: Type.Literal('unknown') }),
  /** The platform hands out direct addresses. */
  Type.Object({ state: Type.Literal('proxy-off') }),
])
export type ProxyTarget = Static<typeof ProxyTarget>

/** A finished or running proxied connection, as the gateway reports it. Bytes as seen from the client. */
export const ProxyConnectionReport = Type.Object({
  id: Type.String({ format: 'uuid' }),
  instanceId: Type.String({ format: 'uuid' }),
  clientAddress: Type.String(),
  userId: nullableString({ format: 'uuid' }),
  bytesSent: Type.Integer({ minimum: 0 }),
  bytesReceived: Type.Integer({ minimum: 0 }),
  openedAt: Type.String({ format: 'date-time' }),
  closedAt: nullableString({ format: 'date-time' }),
})
export type ProxyConnectionReport = Static<typeof ProxyConnectionReport>

/** Paths of the calls above on the api. */
export const internalPaths = {
  /** GET, header `cookie` of the client passed on: SessionIdentity. */
  session: '/internal/session',
  /** GET: `true` or `false`. */
  game: (gameId: number) => `/internal/games/${gameId}`,
  /** GET: ProxyTarget. */
  proxyTarget: (instanceId: string) => `/internal/proxy/${instanceId}`,
  /** POST: ProxyConnectionReport[]; idempotent by id. */
  proxyConnections: '/internal/proxy-connections',
} as const
