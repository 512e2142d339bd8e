import { addressNetworkKey } from '@capstan/contract/addresses'
import fastifyPlugin from 'fastify-plugin'
import { createUnsentResponseLimit } from '../http/unsent-answers.ts'

export type UnsentAnswersOptions = Readonly<{
  /** Maximum total size of the counted responses. Default: the limit of production. */
  maxBytes?: number
}>

/**
 * Limits the total size of responses that are fully in memory before they are sent. This plugin follows the compression, so that it
 * counts the compressed size. Streams are not counted, because their buffers are small.
 */
export const unsentAnswersPlugin = fastifyPlugin<UnsentAnswersOptions>(
  async (app, { maxBytes }) => {
    const unsent = createUnsentResponseLimit(app.log, maxBytes)
    app.addHook('onSend', (request, reply, payload, done) => {
      if (typeof payload === 'string' || payload instanceof Uint8Array)
        unsent.hold(reply.raw, payload, () => addressNetworkKey(request.ip))
      done(null, payload)
    })
  },
  { name: 'unsent-answers', dependencies: ['compression'] },
)
