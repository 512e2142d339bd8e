import { Problem } from '@capstan/contract/problems'
import { Guard } from '@capstan/http/guard'
import type { FastifyReply } from 'fastify'

/**
 * Aborts when the client of a call goes away before it has its answer, for what waits and is of no use without one. Not the `signal`
 * of Fastify, which also aborts where the body of the call has been read to its end.
 */
export function departureOf(reply: FastifyReply): AbortSignal {
  const { raw, request } = reply
  const gone = new AbortController()
  // An answer like that to a body that broke off. Nobody reads it.
  const leave = () => gone.abort(new Problem('request.invalid'))
  if (request.socket.destroyed) leave()
  else new Guard(reply.log, raw).once(raw, 'close', leave)
  return gone.signal
}
