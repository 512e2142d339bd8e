import { createClientReader } from '@capstan/http/client'
import fastifyPlugin from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the caller is on this machine, with nothing in between that says so. */
    isLocal: boolean
  }
}

/**
 * Makes `request.ip` what people know as the address: it is stored with visits and log lines, and limits count by it. What headers
 * say of address, protocol and host counts as far as `config.trustedProxies` and the proof of our own web process go (ADR 12).
 */
export const clientAddressPlugin = fastifyPlugin(
  async (app) => {
    const readClient = createClientReader(app.deps.config)
    app.decorateRequest('isLocal', false)
    app.addHook('onRequest', (request, _reply, done) => {
      const { address, protocol, host, isLocal } = readClient(request.raw)
      request.isLocal = isLocal
      // The framework computes these on every read; what is defined on the request itself takes its place.
      if (address !== request.ip) Object.defineProperty(request, 'ip', { value: address })
      if (protocol !== request.protocol) Object.defineProperty(request, 'protocol', { value: protocol })
      if (host !== undefined && host !== request.host) Object.defineProperty(request, 'host', { value: host })
      done()
    })
  },
  { name: 'client-address' },
)
