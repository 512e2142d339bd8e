import fastifyPlugin from 'fastify-plugin'

/** Value of the header Strict-Transport-Security. The duration of one year is the minimum for the preload lists of browsers. */
const transportSecurityPolicy = 'max-age=31536000'

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
