import type { IncomingMessage } from 'node:http'
import { unreadBodyLimits } from '@capstan/contract/limits'
import { type FailureLog, Guard } from '@capstan/http/guard'
import fastifyPlugin from 'fastify-plugin'

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Lets the rest of a body go by; whoever sends too much of it or for too long is cut off. */
function ignoreRest(request: IncomingMessage, log: FailureLog): void {
  const cutOff = () => request.destroy()
  const timer = setTimeout(cutOff, unreadBodyLimits.maxMs).unref()
  let bytes = 0
  const guard = new Guard(log, request)
  guard.on(request, 'data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > unreadBodyLimits.maxBytes) cutOff()
  })
  for (const end of ['end', 'close', 'error']) guard.once(request, end, () => clearTimeout(timer))
}

/**
 * What becomes of a body that nobody wants any more once its answer is known: the call takes none, it is too large, or its
 * sender may not make the call. Closing the connection at once would reset it, and most clients would never see the answer;
 * reading to the end would let anybody send for ever. Whoever was too slow is not waited for any longer.
 */
export const unreadBodiesPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onSend', (request, reply, _payload, done) => {
      const { raw } = request
      if (!raw.complete && !raw.destroyed && hasBody(raw) && reply.statusCode !== 408) {
        reply.removeHeader('connection')
        ignoreRest(raw, request.log)
      }
      done()
    })
  },
  { name: 'unread-bodies' },
)
