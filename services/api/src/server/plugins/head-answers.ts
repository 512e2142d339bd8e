import { Readable } from 'node:stream'
import { ignoreSocketErrors } from '@capstan/http/guard'
import fastifyPlugin from 'fastify-plugin'

/**
 * Closes the payload stream of a HEAD request and sends only the headers. Without this plugin, Fastify would read the full file
 * from the store, even after the client disconnects.
 */
export const headAnswersPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onSend', (request, _reply, payload, done) => {
      if (request.method !== 'HEAD' || !(payload instanceof Readable)) return done(null, payload)
      ignoreSocketErrors(payload)
      payload.destroy()
      done(null, Readable.from([]))
    })
  },
  { name: 'head-answers' },
)
