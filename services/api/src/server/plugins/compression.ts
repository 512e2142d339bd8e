import { Readable } from 'node:stream'
import { Limits } from '@capstan/contract/limits'
import { Guard } from '@capstan/http/guard'
import type { FastifyReply } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { compress, createCompressedStream, minCompressedBytes } from '../http/compressors.ts'
import { type Compression, chooseEncoding } from '../http/content-encoding.ts'

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
 * Compresses a text response if the client accepts compression. docs/adr/0056-own-compression.md compares this plugin with
 * `@fastify/compress`.
 */
export const compressionPlugin = fastifyPlugin(
  async (app) => {
    let openStreams = 0

    /**
     * Compresses a stream. The stream counts toward the maximum number of streams until the compressor is closed. A client that
     * reads nothing keeps the compressor open.
     */
    const compressStream = (encoding: Compression, payload: Readable): Readable => {
      const compressed = createCompressedStream(encoding, payload)
      openStreams += 1
      new Guard(app.log, compressed).once(compressed, 'close', () => {
        openStreams -= 1
      })
      return compressed
    }

    const encode = (encoding: Compression, payload: Readable | string | Buffer): Readable | Buffer | Promise<Buffer> =>
      payload instanceof Readable ? compressStream(encoding, payload) : compress(encoding, payload)

    // This hook uses a callback, because a promise would delay each response that needs no compression.
    app.addHook('onSend', (request, reply, payload, done) => {
      if (!isPlainText(reply) || !isLargeEnough(payload)) return done(null, payload)
      reply.header('vary', 'accept-encoding')
      const encoding = chooseEncoding(request.headers['accept-encoding'])
      if (encoding === 'identity') return done(null, payload)
      if (payload instanceof Readable && openStreams >= Limits.maxCompressedStreams) return done(null, payload)
      reply.removeHeader('content-length')
      reply.header('content-encoding', encoding)
      Promise.try(encode, encoding, payload).then((encoded) => done(null, encoded), done)
    })
  },
  { name: 'compression' },
)
