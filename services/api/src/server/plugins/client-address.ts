import { createClientReader } from '@capstan/http/client'
import fastifyPlugin from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    /** True if the caller runs on this machine and uses no proxy. */
    isLocal: boolean
  }
}

/**
 * Sets `request.ip` to the client address, which sessions, log lines and rate limits use. Forwarded headers for address, protocol
 * and host count only if a trusted proxy or our authenticated web process sent them (ADR 12).
 */
export const clientAddressPlugin = fastifyPlugin(
  async (app) => {
    const readClient = createClientReader(app.deps.config)
    app.decorateRequest('isLocal', false)
    app.addHook('onRequest', (request, _reply, done) => {
      const { address, protocol, host, isLocal } = readClient(request.raw)
      request.isLocal = isLocal
      // Fastify computes the address, protocol and host in getters of the prototype. A property on the request itself overrides the
      // getter.
      if (address !== request.ip) Object.defineProperty(request, 'ip', { value: address })
      if (protocol !== request.protocol) Object.defineProperty(request, 'protocol', { value: protocol })
      if (host !== undefined && host !== request.host) Object.defineProperty(request, 'host', { value: host })
      done()
    })
  },
  { name: 'client-address' },
)
