import { Problem } from '@capstan/contract/problems'
import { Guard } from '@capstan/http/guard'
import type { FastifyReply } from 'fastify'

/**
 * Returns a signal that aborts when the client disconnects before it gets the response. Fastify's `signal` is unsuitable, because
 * that signal aborts as soon as the request body has been read.
 */
export function disconnectSignalOf(reply: FastifyReply): AbortSignal {
  const { raw, request } = reply
  const disconnect = new AbortController()
  // The problem code is the same as for an incomplete body. No client receives it, because the client has disconnected.
  const abort = () => disconnect.abort(new Problem('request.invalid'))
  if (request.socket.destroyed) abort()
  else new Guard(reply.log, raw).once(raw, 'close', abort)
  return disconnect.signal
}
