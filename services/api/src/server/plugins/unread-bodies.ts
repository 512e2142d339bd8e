import type { IncomingMessage } from 'node:http'
import { unreadBodyLimits } from '@capstan/contract/limits'
import { type FailureLog, Guard } from '@capstan/http/guard'
import fastifyPlugin from 'fastify-plugin'

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Drains the rest of a body. Disconnects a client that sends too many bytes or takes too long. */
function drainBody(request: IncomingMessage, log: FailureLog): void {
  const disconnect = () => request.destroy()
  const timer = setTimeout(disconnect, unreadBodyLimits.maxMs).unref()
  let bytes = 0
  const guard = new Guard(log, request)
  guard.on(request, 'data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > unreadBodyLimits.maxBytes) disconnect()
  })
  for (const end of ['end', 'close', 'error']) guard.once(request, end, () => clearTimeout(timer))
}

/**
 * Drains a request body that the api does not read, for example because the call is refused. If the body were not drained, closing
 * the connection would reset it before most clients read the response. Size and duration of the drain are limited. The body of a
 * request that timed out (408) is not drained.
 */
export const unreadBodiesPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onSend', (request, reply, _payload, done) => {
      const { raw } = request
      if (!raw.complete && !raw.destroyed && hasBody(raw) && reply.statusCode !== 408) {
        reply.removeHeader('connection')
        drainBody(raw, request.log)
      }
      done()
    })
  },
  { name: 'unread-bodies' },
)
