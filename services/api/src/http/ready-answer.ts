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
 * Sends it in the encoding that the client likes best, or 304 without a body when the client has it already.
 * @param cacheControl `no-store`: nobody asks for it again, so it goes without a tag
 */
export const sendReady = async (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ReadyAnswer,
  cacheControl: string,
): Promise<FastifyReply> => {
  reply.header('cache-control', cacheControl).header('vary', 'accept-encoding')
  if (cacheControl !== 'no-store') {
    reply.header('etag', answer.etag)
    if (matchesEtag(request.headers['if-none-match'], answer.etag)) return reply.status(304).send()
  }
  reply.type('application/json; charset=utf-8')
  const encoding = chooseEncoding(request.headers['accept-encoding'], encodings)
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.send(await answer.in(encoding))
}
