import { Problem } from '@capstan/contract/problems'
import fastifyPlugin from 'fastify-plugin'
import { readApiTokenOfRequest } from '../tokens/bearer.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export type RequestedSite = Readonly<{
  /** Protocol of the request. `https` only if that is certain, since TLS may end at an untrusted proxy. */
  protocol: string
  /** Value of the header `Host`, or the original host that a trusted proxy reports. */
  host: string
}>

/**
 * True if the request comes from our own pages, or from a client that sends no Origin header. The same host with another port
 * counts as another site, because an instance of a challenge may listen on that port.
 */
export function isOwnOrigin(origin: string | undefined, site: RequestedSite, publicOrigin: string | undefined): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  if (!page) return false
  if (publicOrigin !== undefined && page.origin === new URL(publicOrigin).origin) return true
  // The origin of a page may omit the port. In this case, the scheme determines the port.
  const isSameHost = page.host === URL.parse(`${page.protocol}//${site.host}`)?.host
  return isSameHost && (site.protocol !== 'https' || page.protocol === 'https:')
}

export const originPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) => {
      // A request with an API token needs no check: other sites cannot make a browser send the Authorization header, and the
      // session cookie of such a request is ignored.
      if (safeMethods.has(request.method) || readApiTokenOfRequest(request.headers.authorization) !== undefined) return done()
      const isOwn = isOwnOrigin(request.headers.origin, request, app.deps.config.publicOrigin)
      done(isOwn ? undefined : new Problem('request.origin'))
    })
  },
  { name: 'origin', dependencies: ['problems'] },
)
