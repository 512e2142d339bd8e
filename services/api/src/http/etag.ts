import { createHash } from 'node:crypto'
import { HeaderLimits } from '@capstan/contract/limits'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Tag of bytes that are sent compressed or not, therefore weak. 96 bits of SHA-256. */
export const weakEtagOf = (bytes: string | Uint8Array): string =>
  `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`

const opaqueOf = (tag: string): string => tag.trim().replace(/^W\//, '')

/** Whether an If-None-Match header names the tag. Weak comparison, RFC 9110, section 13.1.2. */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header.length <= HeaderLimits.ifNoneMatchMaxBytes &&
  (header.trim() === '*' || header.split(',').some((tag) => opaqueOf(tag) === opaqueOf(etag)))

/**
 * Sends the JSON answer of a call with an ETag, or 304 without a body when the client has it already.
 * Clients must ask each time; nothing in between may keep a copy.
 * @param payload answer in the shape of the call's response schema
 */
export const sendWithEtag = (request: FastifyRequest, reply: FastifyReply, payload: object): FastifyReply => {
  const body = String(reply.serialize(payload))
  const etag = weakEtagOf(body)
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
  return reply.type('application/json; charset=utf-8').send(body)
}
