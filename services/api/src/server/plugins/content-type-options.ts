import fastifyPlugin from 'fastify-plugin'

/** Browsers take every answer for what it says it is, and never guess (Fetch standard, X-Content-Type-Options). */
export const contentTypeOptionsPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('x-content-type-options', 'nosniff')
      done()
    })
  },
  { name: 'content-type-options' },
)
