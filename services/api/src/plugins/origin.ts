import { Problem } from '@capstan/contract/problems'
import fastifyPlugin from 'fastify-plugin'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a request that changes something was sent by our own pages, or by a client that sends no Origin. */
export const isOwnOrigin = (origin: string | undefined, host: string, publicOrigin: string | undefined): boolean => {
  if (origin === undefined) return true
  if (publicOrigin !== undefined && origin === new URL(publicOrigin).origin) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

/**
 * Refuses requests from other sites. A token pair (cookie XSRF-TOKEN = header X-XSRF-TOKEN) passes as well; a request
 * without both passes while its Origin is our own or absent (behaviour §2).
 */
export const originPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) => {
      if (safeMethods.has(request.method)) return done()
      if (isOwnOrigin(request.headers.origin, request.host, app.deps.config.publicOrigin)) return done()
      const token = request.cookies['XSRF-TOKEN']
      if (token && request.headers['x-xsrf-token'] === token) return done()
      done(new Problem('request.origin'))
    })
  },
  { name: 'origin', dependencies: ['problems', '@fastify/cookie'] },
)
