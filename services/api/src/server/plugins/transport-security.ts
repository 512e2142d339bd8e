import fastifyPlugin from 'fastify-plugin'

/** A year, the least that browsers' own lists ask for. */
const transportSecurityPolicy = 'max-age=31536000'

/** In production, whoever came by HTTPS is told to come back by nothing else (RFC 6797). */
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
