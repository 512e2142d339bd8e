import { plainAddress } from '@capstan/contract/addresses'
import fastifyPlugin from 'fastify-plugin'

/** Makes `request.ip` what people know as the address: it is stored with visits and log lines, and limits count by it. */
export const clientAddressPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) => {
      const address = plainAddress(request.ip)
      // The framework computes it on every read; what is defined on the request itself takes its place.
      if (address !== request.ip) Object.defineProperty(request, 'ip', { value: address })
      done()
    })
  },
  { name: 'client-address' },
)
