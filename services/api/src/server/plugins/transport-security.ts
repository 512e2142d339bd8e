import fastifyPlugin from 'fastify-plugin'

/** One year, the minimum for the preload lists of browsers. */
const transportSecurityPolicy = 'max-age=31536000'

/** Makes browsers use HTTPS only, once they have connected by HTTPS in production (RFC 6797). */
export const transportSecurityPlugin = fastifyPlugin(
  async (app) => {
    if (!app.deps.config.production) return
    app.addHook('onRequest', (request, reply, done) => {
      if (request.protocol === 'https') reply.header('strict-transport-security', transportSecurityPolicy)
      done()
    })
  },
  { name: 'transport-security' },
)
