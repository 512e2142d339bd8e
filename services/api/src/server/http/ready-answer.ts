import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { compress, decompress, minCompressedBytes } from './compressors.ts'
import { type ContentEncoding, chooseEncoding } from './content-encoding.ts'
import { matchesEtag, weakEtagOf } from './etag.ts'

/** Returns a copy to cache. Node allocates small buffers in pools of 64 kB, so a cached buffer would retain its full pool. */
function unpooledCopy(bytes: Buffer): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

const jsonType = 'application/json; charset=utf-8'

/**
 * Text, mostly JSON, that is sent many times. Computes the tag and each compressed form once. After the first use, text from a
 * string is stored only in compressed form, which needs a tenth of the memory. If the text was given as bytes, these bytes remain
 * stored, too, because parts of the text are read again.
 */
export class ReadyAnswer {
  readonly etag: string
  readonly size: number
  readonly contentType: string
  readonly #encoded = new Map<ContentEncoding, Buffer | Promise<Buffer>>()
  readonly #staysPlain: boolean
  #identity: Buffer<ArrayBuffer> | undefined

  /**
   * @param text bytes that must not change afterwards, or a string
   * @param etag tag of the response. By default it is computed from the bytes.
   */
  constructor(text: string | Uint8Array<ArrayBuffer>, etag?: string, contentType = jsonType) {
    const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.byteLength)
    this.#identity = bytes
    this.#staysPlain = typeof text !== 'string'
    this.size = bytes.length
    this.etag = etag ?? weakEtagOf(bytes)
    this.contentType = contentType
  }

  get #bytes(): Buffer {
    if (this.#identity) return this.#identity
    for (const [encoding, made] of this.#encoded) if (made instanceof Buffer) return decompress(encoding, made)
    throw new Error('The response is empty')
  }

  text(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to)
  }

  in(encoding: ContentEncoding): Buffer | Promise<Buffer> {
    const known = this.#encoded.get(encoding)
    if (known) return known
    const made = encoding === 'identity' ? this.#bytes : compress(encoding, this.#bytes)
    if (made instanceof Promise) {
      this.#encoded.set(encoding, made)
      made.then(
        (bytes) => this.#keep(encoding, bytes),
        () => this.#encoded.delete(encoding),
      )
    } else this.#keep(encoding, made)
    return made
  }

  /** Caches an encoded form. One form suffices, because all other forms can be computed from this form. */
  #keep(encoding: ContentEncoding, bytes: Buffer): void {
    if (this.#staysPlain && encoding === 'identity') return
    this.#encoded.set(encoding, unpooledCopy(bytes))
    if (!this.#staysPlain) this.#identity = undefined
  }
}

type ReadyHead = Readonly<{
  /** Encoding of the body. If undefined, the response is 304 without a body, because the client already has it. */
  encoding: ContentEncoding | undefined
  headers: Record<string, string>
}>

/**
 * Chooses a content encoding that the client accepts, and returns it with the headers of the response.
 * @param cacheControl value of the Cache-Control header. If it is absent, the response has no ETag and is never 304.
 */
export function headOfReadyResponse(asked: IncomingHttpHeaders, answer: ReadyAnswer, cacheControl?: string): ReadyHead {
  const headers: Record<string, string> = { vary: 'accept-encoding' }
  if (cacheControl !== undefined) {
    headers.etag = answer.etag
    headers['cache-control'] = cacheControl
    if (matchesEtag(asked['if-none-match'], answer.etag)) return { encoding: undefined, headers }
  }
  headers['content-type'] = answer.contentType
  const encoding = answer.size < minCompressedBytes ? 'identity' : chooseEncoding(asked['accept-encoding'])
  if (encoding !== 'identity') headers['content-encoding'] = encoding
  return { encoding, headers }
}

export async function sendReadyResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ReadyAnswer,
  cacheControl?: string,
): Promise<FastifyReply> {
  const { encoding, headers } = headOfReadyResponse(request.headers, answer, cacheControl)
  reply.headers(headers)
  if (encoding === undefined) return reply.status(304).send()
  return reply.send(await answer.in(encoding))
}

/**
 * Sends the JSON response with an ETag, or 304 if the client already has it. Clients must revalidate each time, and proxies
 * must not store the response.
 * @param payload response in the shape of the call's response schema
 */
export function sendWithEtag(request: FastifyRequest, reply: FastifyReply, payload: object): Promise<FastifyReply> {
  return sendReadyResponse(request, reply, new ReadyAnswer(String(reply.serialize(payload))), 'private, no-cache')
}
