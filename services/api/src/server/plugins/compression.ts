import { pipeline, Readable } from 'node:stream'
import { createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { brotliOptions, compress, gzipOptions, minCompressedBytes } from '../http/compressors.ts'
import { chooseEncoding } from '../http/content-encoding.ts'

function isText(contentType: unknown): boolean {
  return typeof contentType === 'string' && /^(application\/(json|yaml|javascript)|text\/|image\/svg)/.test(contentType)
}

const encodings = ['zstd', 'br', 'gzip'] as const

/** Compresses a streamed file, but not a partial one (206): its byte ranges refer to the uncompressed file. */
function compressStream(request: FastifyRequest, reply: FastifyReply, payload: Readable): Readable {
  if (reply.statusCode !== 200 || reply.hasHeader('content-encoding') || !isText(reply.getHeader('content-type'))) return payload
  reply.header('vary', 'accept-encoding')
  const encoding = chooseEncoding(request.headers['accept-encoding'], ['br', 'gzip'])
  if (encoding === 'identity') return payload
  reply.removeHeader('content-length')
  reply.header('content-encoding', encoding)
  const compressor = encoding === 'br' ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions)
  // The compressor forwards errors of both streams to the response.
  pipeline(payload, compressor, () => {})
  return compressor
}

/**
 * Compresses text responses with zstd, br or gzip, as Accept-Encoding allows. Encoded responses are unchanged. Buffers and
 * strings are compressed in one call, because a compression stream costs far more time and memory. Only streamed files use
 * compression streams.
 */
export const compressionPlugin = fastifyPlugin(
  async (app) => {
    app.addHook('onSend', (request, reply, payload, done) => {
      if (payload instanceof Readable) return done(null, compressStream(request, reply, payload))
      if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return done(null, payload)
      if (reply.hasHeader('content-encoding') || !isText(reply.getHeader('content-type'))) return done(null, payload)
      const length = Buffer.byteLength(payload)
      if (length < minCompressedBytes) return done(null, payload)
      reply.header('vary', 'accept-encoding')
      const encoding = chooseEncoding(request.headers['accept-encoding'], encodings)
      if (encoding === 'identity') return done(null, payload)
      reply.removeHeader('content-length')
      reply.header('content-encoding', encoding)
      const compressed = compress(encoding, payload)
      if (compressed instanceof Promise) compressed.then((bytes) => done(null, bytes), done)
      else done(null, compressed)
    })
  },
  { name: 'compression' },
)
