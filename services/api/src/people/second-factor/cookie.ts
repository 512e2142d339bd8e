import { Limits } from '@capstan/contract/limits'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiConfig } from '../../server/config.ts'
import { isHttpsSite } from '../../server/sessions/session-cookie.ts'

/** Cookie of a pending log-in, which only this browser has. */
export function pendingLoginCookie({ publicOrigin }: Pick<ApiConfig, 'publicOrigin'>) {
  const isHttps = (request: FastifyRequest) => isHttpsSite(publicOrigin, request.protocol)
  const nameOf = (request: FastifyRequest) => (isHttps(request) ? '__Host-capstan_login' : 'capstan_login')
  const optionsOf = (request: FastifyRequest) =>
    ({ path: '/', httpOnly: true, sameSite: 'strict', secure: isHttps(request) }) as const
  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[nameOf(request)],
    set(request: FastifyRequest, reply: FastifyReply, value: string): void {
      reply.setCookie(nameOf(request), value, { ...optionsOf(request), maxAge: Limits.pendingLoginMinutes * 60 })
    },
    clear(request: FastifyRequest, reply: FastifyReply): void {
      reply.clearCookie(nameOf(request), optionsOf(request))
    },
  }
}
