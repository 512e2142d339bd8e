import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { compress, compressedStream, minCompressedBytes } from '../http/compressors.ts'
import { chooseEncoding } from '../http/content-encoding.ts'

const textTypes = /^(application\/(json|yaml|javascript)|text\/|image\/svg)/

/**
 * Returns true if the body is text that is not encoded yet. A part of a file (206) stays plain, because ranges refer to plain
 * bytes. A live stream (`no-transform`) stays plain, because compression delays its bytes.
 */
function isPlainText(reply: FastifyReply): boolean {
  const type = reply.getHeader('content-type')
  if (typeof type !== 'string' || !textTypes.test(type) || reply.statusCode === 206) return false
  return !reply.hasHeader('content-encoding') && !String(reply.getHeader('cache-control')).includes('no-transform')
}

function isLargeEnough(payload: unknown): payload is Readable | string | Buffer {
  if (payload instanceof Readable) return true
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && Buffer.byteLength(payload) >= minCompressedBytes
}

/**
 * Compresses text responses if Accept-Encoding allows it. Buffers and strings are compressed in one call, and files as streams.
 * docs/adr/0056-own-compression.md compares this plugin with `@fastify/compress`.
 */
export const compressionPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onSend', async (request, reply, payload) => {
      if (!isPlainText(reply) || !isLargeEnough(payload)) return payload
      reply.header('vary', 'accept-encoding')
      const encoding = chooseEncoding(request.headers['accept-encoding'])
      if (encoding === 'identity') return payload
      reply.removeHeader('content-length')
      reply.header('content-encoding', encoding)
      return payload instanceof Readable ? compressedStream(encoding, payload) : compress(encoding, payload)
    })
  },
  { name: 'compression' },
)
