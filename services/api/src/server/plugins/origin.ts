import { Problem } from '@capstan/contract/problems'
import fastifyPlugin from 'fastify-plugin'
import { readBearer } from '../tokens/bearer.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export type AskedSite = Readonly<{
  /** `https` only if that is certain. TLS may end at a proxy that the operator did not declare as trusted. */
  protocol: string
  /** Header `Host`, or the original host that a trusted proxy reports. */
  host: string
}>

/**
 * Returns true if our own pages sent the request, or a client that sends no Origin header. The same host with another port
 * counts as another site, because a challenge may listen there.
 */
export function isOwnOrigin(origin: string | undefined, site: AskedSite, publicOrigin: string | undefined): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  if (!page) return false
  if (publicOrigin !== undefined && page.origin === new URL(publicOrigin).origin) return true
  // The page's scheme decides which default port may be omitted.
  const isSameHost = page.host === URL.parse(`${page.protocol}//${site.host}`)?.host
  return isSameHost && (site.protocol !== 'https' || page.protocol === 'https:')
}

/** Refuses changing requests whose Origin header names another site. Requests without the header pass. */
export const originPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) => {
      // Other sites cannot make a browser send an Authorization header, and the session cookie does not count beside it.
      if (safeMethods.has(request.method) || readBearer(request.headers.authorization) !== undefined) return done()
      const isOwn = isOwnOrigin(request.headers.origin, request, app.deps.config.publicOrigin)
      done(isOwn ? undefined : new Problem('request.origin'))
    })
  },
  { name: 'origin', dependencies: ['problems'] },
)
