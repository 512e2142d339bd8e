import type { Access } from '@capstan/contract/operation'
import { Problem } from '@capstan/contract/problems'
import { refuseRole } from '@capstan/contract/roles'
import { refuseCallByToken } from '@capstan/contract/token-access'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { createUserActionRecorder, logLineSuffixForToken } from '../logs/record.ts'
import type { LoginProof } from '../sessions/proof.ts'
import { createSessionService, type SessionService } from '../sessions/service.ts'
import { getSessionCookieName, isHttpsSite, readSessionToken } from '../sessions/session-cookie.ts'
import type { SessionUser } from '../sessions/session-user.ts'
import { readApiTokenOfRequest } from '../tokens/bearer.ts'

declare module 'fastify' {
  interface FastifyInstance {
    sessions: SessionService
    /**
     * Opens a session and sets its cookie. Call this after the user has authenticated.
     * @throws the problems of `requireProof`
     */
    startSession(request: FastifyRequest, reply: FastifyReply, userId: string, proof: LoginProof): Promise<void>
    clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void
    /**
     * Checks whether the caller may make a call.
     * @returns the user, or undefined for a call that has neither session nor token
     */
    authorise(
      request: FastifyRequest,
      reply: FastifyReply,
      access: Access,
      options?: { allowBanned?: boolean },
    ): Promise<SessionUser | undefined>
    /** True if the recipient of a long response still has access. The check does not renew the session. */
    isStillAuthorized(request: FastifyRequest, access: Access): Promise<boolean>
    /**
     * Logs a call that was refused because of the user's role or token. Call this after the rate limit, which limits the size of
     * the log.
     */
    recordRefusal(request: FastifyRequest): void
  }
}

/**
 * Authenticates each call once: looks up the session cookie or the API token of the call in the database. The rules are in
 * docs/contract/sessions-and-accounts.md#sessions and docs/contract/tokens.md.
 */
export const sessionPlugin = fastifyPlugin(
  async (app) => {
    const sessions = createSessionService({ ...app.deps, changes: app.changes })
    const isHttps = (request: FastifyRequest) => isHttpsSite(app.deps.config.publicOrigin, request.protocol)
    const setCookie = (request: FastifyRequest, reply: FastifyReply, token: string, expires: Date) => {
      const secure = isHttps(request)
      reply.setCookie(getSessionCookieName(secure), token, { path: '/', httpOnly: true, sameSite: 'lax', secure, expires })
    }

    app.decorate('sessions', sessions)
    app.decorate('startSession', async (request: FastifyRequest, reply: FastifyReply, userId: string, proof: LoginProof) => {
      const client = { address: request.ip, userAgent: request.headers['user-agent'] }
      const { token, expiresAt } = await sessions.open(userId, proof, client)
      setCookie(request, reply, token, expiresAt)
    })
    app.decorate('clearSessionCookie', (request: FastifyRequest, reply: FastifyReply) => {
      const secure = isHttps(request)
      // Browsers ignore a cookie with the prefix `__Host-` unless it has the `Secure` attribute.
      reply.clearCookie(getSessionCookieName(secure), { path: '/', secure })
    })
    const refused = new WeakMap<FastifyRequest, SessionUser>()
    app.decorate('recordRefusal', (request: FastifyRequest) => {
      const user = refused.get(request)
      if (!user) return
      const message = `Refused ${request.method} ${request.routeOptions.url ?? ''}${logLineSuffixForToken(user)}`
      createUserActionRecorder(app.deps.platformLog, user.userName, request.ip)(message, { level: 'Warning', status: 'Denied' })
    })
    /**
     * Authorizes a call only by its token. A request with both token and session cookie is refused, because another site may have
     * caused it.
     */
    const authoriseToken = async (request: FastifyRequest, bearer: string, access: Access): Promise<SessionUser> => {
      if (readSessionToken(request.cookies, isHttps(request))) throw new Problem('token.with-session')
      const user = await app.tokens.authenticate(bearer)
      const params = request.params as Readonly<Record<string, string | undefined>>
      const refusal =
        refuseRole(access, user.role) ?? refuseCallByToken(user.token, request.routeOptions.config.operation, params)
      if (!refusal) return user
      refused.set(request, user)
      throw new Problem(refusal)
    }
    app.decorate(
      'authorise',
      async (request: FastifyRequest, reply: FastifyReply, access: Access, options: { allowBanned?: boolean } = {}) => {
        const bearer = readApiTokenOfRequest(request.headers.authorization)
        if (bearer !== undefined) return authoriseToken(request, bearer, access)
        const token = readSessionToken(request.cookies, isHttps(request))
        const user = token ? await sessions.find(token) : undefined
        const refusal = refuseRole(access, user?.role)
        if (refusal && !(refusal === 'session.banned' && options.allowBanned)) {
          if (user && (access === 'monitor' || access === 'admin')) refused.set(request, user)
          throw new Problem(refusal === 'role.insufficient' && user?.isFactorMissing ? 'second-factor.required' : refusal)
        }
        if (!user || !token) return undefined
        if (app.deps.clock.now().getTime() - user.lastVisitedAt.getTime() > 5_000) await sessions.touch(user, request.ip)
        const renewed = await sessions.renewIfNeeded(user)
        if (renewed) setCookie(request, reply, token, renewed)
        return user
      },
    )
    app.decorate('isStillAuthorized', async (request: FastifyRequest, access: Access) => {
      const bearer = readApiTokenOfRequest(request.headers.authorization)
      const token = readSessionToken(request.cookies, isHttps(request))
      try {
        const user = bearer === undefined ? token && (await sessions.find(token)) : await app.tokens.authenticate(bearer)
        return user !== undefined && user !== '' && refuseRole(access, user.role) === undefined
      } catch (error) {
        if (error instanceof Problem) return false
        throw error
      }
    })
  },
  { name: 'session', dependencies: ['problems', '@fastify/cookie', 'changes', 'tokens'] },
)
