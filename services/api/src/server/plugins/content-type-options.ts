import fastifyPlugin from 'fastify-plugin'

/** Forbids browsers to guess the content type of a response (Fetch standard, X-Content-Type-Options). */
export const contentTypeOptionsPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('x-content-type-options', 'nosniff')
      done()
    })
  },
  { name: 'content-type-options' },
)
