import type { FastifyReply, FastifyRequest } from 'fastify'
import { isHttpsSite } from './session-cookie.ts'

type HostCookieOptions = Readonly<{
  /** Name of the cookie over HTTP. Over HTTPS, the prefix `__Host-` is added (RFC 6265bis). */
  name: string
  sameSite: 'lax' | 'strict'
  /** Lifetime, in s. Default: until the browser closes. */
  maxAge?: number
}>

/** Creates functions for a cookie that only this host can set and read, and that scripts cannot read. */
export function createHostCookie(publicOrigin: string | undefined, { name, sameSite, maxAge }: HostCookieOptions) {
  const isHttps = (request: FastifyRequest) => isHttpsSite(publicOrigin, request.protocol)
  const nameOf = (request: FastifyRequest) => (isHttps(request) ? `__Host-${name}` : name)
  const optionsOf = (request: FastifyRequest) => ({ path: '/', httpOnly: true, sameSite, secure: isHttps(request) }) as const
  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[nameOf(request)],
    set(request: FastifyRequest, reply: FastifyReply, value: string): void {
      reply.setCookie(nameOf(request), value, { ...optionsOf(request), ...(maxAge !== undefined && { maxAge }) })
    },
    /** Deletes the cookie if the browser has it. */
    clear(request: FastifyRequest, reply: FastifyReply): void {
      if (request.cookies[nameOf(request)] !== undefined) reply.clearCookie(nameOf(request), optionsOf(request))
    },
  }
}
