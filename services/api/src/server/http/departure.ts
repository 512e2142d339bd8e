import { Problem } from '@capstan/contract/problems'
import { Guard } from '@capstan/http/guard'
import type { FastifyReply } from 'fastify'

/**
 * Returns a signal that aborts when the client disconnects before the response, for work that is useless without it. Fastify's own
 * `signal` does not suit, because it also aborts when the request body has been read.
 */
export function departureOf(reply: FastifyReply): AbortSignal {
  const { raw, request } = reply
  const departure = new AbortController()
  // The same problem as for an incomplete body. The client never receives it.
  const abort = () => departure.abort(new Problem('request.invalid'))
  if (request.socket.destroyed) abort()
  else new Guard(reply.log, raw).once(raw, 'close', abort)
  return departure.signal
}
