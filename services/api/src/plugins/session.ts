import type { Access } from '@capstan/contract/operation'
import { Problem } from '@capstan/contract/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import type { SessionUser } from '../sessions/repository.ts'
import { createSessionService, type SessionService } from '../sessions/service.ts'
import { sessionCookieName } from '../sessions/session-token.ts'

declare module 'fastify' {
  interface FastifyInstance {
    sessions: SessionService
    /** Sets the session cookie of a user who has just proved who they are. */
    startSession(request: FastifyRequest, reply: FastifyReply, userId: string): Promise<void>
    clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void
    /** Checks the access of a call. @returns the user; undefined only for anonymous calls without a session */
    authorise(
      request: FastifyRequest,
      reply: FastifyReply,
      access: Access,
      options?: { allowBanned?: boolean },
    ): Promise<SessionUser | undefined>
  }
}

const roleOrder = { Banned: 0, User: 1, Monitor: 2, Admin: 3 } as const

/** The least role of an access; ownership (captain, participant) is checked by the feature's policy. */
const leastRole: Record<Exclude<Access, 'anonymous'>, keyof typeof roleOrder> = {
  user: 'User',
  captain: 'User',
  participant: 'User',
  monitor: 'Monitor',
  admin: 'Admin',
}

/** @returns the problem code of a refused role, or undefined. Behaviour §2. */
export const refuseRole = (
  access: Access,
  role: SessionUser['role'] | undefined,
): 'session.required' | 'session.banned' | 'role.insufficient' | undefined => {
  if (access === 'anonymous') return undefined
  if (role === undefined) return 'session.required'
  if (role === 'Banned') return 'session.banned'
  return roleOrder[role] < roleOrder[leastRole[access]] ? 'role.insufficient' : undefined
}

/** Sessions by cookie: resolved once per call, from the store. Behaviour §2. */
export const sessionPlugin = fastifyPlugin(
  async (app) => {
    const sessions = createSessionService(app.deps)
    const cookieOptions = (request: FastifyRequest, expires: Date) => ({
      path: '/',
      httpOnly: true,
      sameSite: 'lax' as const,
      secure: request.protocol === 'https',
      expires,
    })

    app.decorate('sessions', sessions)
    app.decorate('startSession', async (request: FastifyRequest, reply: FastifyReply, userId: string) => {
      const { token, expiresAt } = await sessions.open(userId)
      reply.setCookie(sessionCookieName, token, cookieOptions(request, expiresAt))
    })
    app.decorate('clearSessionCookie', (_request: FastifyRequest, reply: FastifyReply) => {
      reply.clearCookie(sessionCookieName, { path: '/' })
    })
    app.decorate(
      'authorise',
      async (request: FastifyRequest, reply: FastifyReply, access: Access, options: { allowBanned?: boolean } = {}) => {
        const token = request.cookies[sessionCookieName]
        const user = token ? await sessions.find(token) : undefined
        const refusal = refuseRole(access, user?.role)
        if (refusal && !(refusal === 'session.banned' && options.allowBanned)) {
          if (user && (access === 'monitor' || access === 'admin')) {
            const message = `Refused ${request.method} ${request.routeOptions.url ?? ''}`
            app.deps.platformLog.write({ level: 'Warning', name: user.userName, address: request.ip, message, status: 'Denied' })
          }
          throw new Problem(refusal)
        }
        if (!user || !token) return undefined
        if (app.deps.clock.now().getTime() - user.lastVisitedAt.getTime() > 5_000) await sessions.touch(user, request.ip)
        const renewed = await sessions.renewIfNeeded(user)
        if (renewed) reply.setCookie(sessionCookieName, token, cookieOptions(request, renewed))
        return user
      },
    )
  },
  { name: 'session', dependencies: ['problems', '@fastify/cookie'] },
)
