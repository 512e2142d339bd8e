import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { compress } from './compressors.ts'
import { type ContentEncoding, chooseEncoding } from './content-encoding.ts'
import { matchesEtag, weakEtagOf } from './etag.ts'

const encodings = ['zstd', 'br', 'gzip'] as const

/** JSON that is sent to many, or to one again and again: its tag and its compressed forms are made once, when first asked for. */
export class ReadyAnswer {
  readonly etag: string
  readonly #identity: Buffer
  readonly #encoded = new Map<ContentEncoding, Buffer | Promise<Buffer>>()

  /** @param etag absent: made from the bytes */
  constructor(json: string | Uint8Array<ArrayBuffer>, etag?: string) {
    this.#identity = typeof json === 'string' ? Buffer.from(json) : Buffer.from(json.buffer, json.byteOffset, json.byteLength)
    this.etag = etag ?? weakEtagOf(this.#identity)
  }

  /** Bytes without compression; those compressed take a fraction more. */
  get size(): number {
    return this.#identity.length
  }

  /** A part of the text, by bytes. */
  text(from: number, to: number): string {
    return this.#identity.toString('utf8', from, to)
  }

  in(encoding: ContentEncoding): Buffer | Promise<Buffer> {
    if (encoding === 'identity') return this.#identity
    const known = this.#encoded.get(encoding)
    if (known) return known
    const made = compress(encoding, this.#identity)
    this.#encoded.set(encoding, made)
    if (made instanceof Promise)
      made.then(
        (bytes) => this.#encoded.set(encoding, bytes),
        () => this.#encoded.delete(encoding),
      )
    return made
  }
}

/**
 * Writes the bytes to the connection at once: what the framework does besides is most of the work for bytes that are ready. Its hooks
 * before sending have nothing to do for who has no cookie and whose request has come whole.
 */
const sendStraight = (reply: FastifyReply, bytes: Buffer): FastifyReply => {
  reply.hijack()
  reply.raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), 'content-length': bytes.length })
  reply.raw.end(bytes)
  return reply
}

/**
 * Sends it in the encoding that the client likes best, or 304 without a body when the client has it already.
 * @param cacheControl absent: nobody asks for the same again, so it goes without a tag
 */
export const sendReady = async (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ReadyAnswer,
  cacheControl?: string,
): Promise<FastifyReply> => {
  reply.header('vary', 'accept-encoding')
  if (cacheControl !== undefined) {
    reply.header('etag', answer.etag).header('cache-control', cacheControl)
    if (matchesEtag(request.headers['if-none-match'], answer.etag)) return reply.status(304).send()
  }
  reply.type('application/json; charset=utf-8')
  const encoding = chooseEncoding(request.headers['accept-encoding'], encodings)
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  const known = answer.in(encoding)
  const bytes = known instanceof Promise ? await known : known
  if (request.raw.complete && request.headers.cookie === undefined) return sendStraight(reply, bytes)
  return reply.send(bytes)
}
