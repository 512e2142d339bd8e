import { Readable } from 'node:stream'
import { surviveErrors } from '@capstan/http/guard'
import fastifyPlugin from 'fastify-plugin'

/**
 * Whoever asks for the headers alone gets those, and what would have followed is closed. The framework reads it to its end instead, as
 * fast as the store gives it and whether the client is still there or not: a file of any size for a request without a body.
 */
export const headAnswersPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onSend', (request, _reply, payload, done) => {
      if (request.method !== 'HEAD' || !(payload instanceof Readable)) return done(null, payload)
      surviveErrors(payload)
      payload.destroy()
      done(null, Readable.from([]))
    })
  },
  { name: 'head-answers' },
)
