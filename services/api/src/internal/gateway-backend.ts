import type { ProxyConnectionReport, ProxyTarget, SessionIdentity } from '@capstan/contract/gateway-backend'
import type { FastifyInstance } from 'fastify'
import { sessionCookieName } from '../sessions/session-token.ts'
import { internalRepository } from './repository.ts'

/** Answers to what a gateway asks: over HTTP in `routes.ts`, by direct calls where both run in one process. */
export interface GatewayBackend {
  session(cookie: string): Promise<SessionIdentity>
  gameExists(gameId: number): Promise<boolean>
  proxyTarget(instanceId: string): Promise<ProxyTarget>
  reportConnections(reports: readonly ProxyConnectionReport[]): Promise<void>
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

export const createGatewayBackend = (app: Pick<FastifyInstance, 'deps' | 'sessions' | 'parseCookie'>): GatewayBackend => {
  const { db, runtime } = app.deps
  const repository = internalRepository(db)
  return {
    async session(cookie) {
      const token = app.parseCookie(cookie)[sessionCookieName]
      const user = token ? await app.sessions.find(token) : undefined
      return user ? { userId: user.id, role: user.role } : null
    },
    gameExists: (gameId) => repository.gameExists(gameId),
    async proxyTarget(instanceId) {
      if (runtime.exposure === 'Direct') return { state: 'proxy-off' }
      const instance = isUuid(instanceId) ? await repository.findLiveInstance(instanceId) : undefined
      if (!instance || instance.host === null || instance.port === null) return { state: 'unknown' }
      return {
        state: 'ready',
        host: instance.host,
        port: instance.port,
        kind: instance.participationId === null ? 'test' : 'team',
      }
    },
    async reportConnections(reports) {
      if (reports.length > 0) await repository.upsertConnections(reports)
    },
  }
}
