import { Problem } from '@capstan/contract/problems'
import fastifyPlugin from 'fastify-plugin'
import { readBearer } from '../tokens/bearer.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export type AskedSite = Readonly<{
  /** `https` only where that is known: TLS may end in front of a proxy that nobody said to trust. */
  protocol: string
  /** Header `Host`, or what a trusted proxy says it was. */
  host: string
}>

/**
 * Whether a request that changes something was sent by our own pages, or by a client that sends no Origin. Another port of our
 * host is another site: challenges may listen there.
 */
export function isOwnOrigin(origin: string | undefined, site: AskedSite, publicOrigin: string | undefined): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  if (!page) return false
  if (publicOrigin !== undefined && page.origin === new URL(publicOrigin).origin) return true
  // The page's scheme decides which port is the silent one.
  const isSameHost = page.host === URL.parse(`${page.protocol}//${site.host}`)?.host
  return isSameHost && (site.protocol !== 'https' || page.protocol === 'https:')
}

/** Refuses requests from other sites; one passes while its Origin is our own or absent. */
export const originPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) => {
      // No page of another site can send such a header along, and whoever brings one is judged by it alone.
      if (safeMethods.has(request.method) || readBearer(request.headers.authorization) !== undefined) return done()
      const isOwn = isOwnOrigin(request.headers.origin, request, app.deps.config.publicOrigin)
      done(isOwn ? undefined : new Problem('request.origin'))
    })
  },
  { name: 'origin', dependencies: ['problems'] },
)
