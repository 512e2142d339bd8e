import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync } from 'fastify'
import { platformCaller } from '../fair-queue.ts'
import { detectImageType } from '../files/image-type.ts'
import { openFile } from '../files/service.ts'
import { matchesEtag } from '../http/etag.ts'
import { shareConcurrentCalls } from '../http/shared.ts'
import { readSettings } from './service.ts'

const builtInTag = '00000000'

/**
 * Serves `/favicon.webp`: the uploaded favicon or the built-in one. The ETag has a special format. Rules:
 * docs/contract/http.md#other-addresses.
 */
export const faviconRoutes: FastifyPluginAsync = async (app) => {
  const { images } = app.deps
  /** Built-in favicon: `mark.svg`, converted to a width of 256 pixels. */
  const mark = readFileSync(new URL('./mark.webp', import.meta.url))

  /** Converts a stored file to a favicon. Returns the built-in favicon if the current rules for pictures refuse the file. */
  const convert = (bytes: Buffer): Promise<Buffer> =>
    images.convert('favicon', bytes, platformCaller).then(
      (image) => image.bytes,
      (error: unknown) => {
        if (error instanceof Problem && error.code.startsWith('file.')) return mark
        throw error
      },
    )

  /** Reads a stored favicon. Earlier versions stored GIFs, which must be converted. */
  const read = async (hash: string): Promise<Buffer> => {
    const bytes = await buffer(await openFile(app.deps, hash))
    return detectImageType(bytes) === 'image/webp' ? bytes : convert(bytes)
  }

  /** Current favicon, read and converted once. */
  let cached: Readonly<{ hash: string; bytes: Promise<Buffer> }> | undefined
  const bytesOf = (hash: string): Promise<Buffer> => {
    if (cached?.hash === hash) return cached.bytes
    const current = { hash, bytes: read(hash) }
    cached = current
    return current.bytes.catch((error: unknown) => {
      if (cached === current) cached = undefined
      throw error
    })
  }
  const findHash = shareConcurrentCalls(async () => (await readSettings(app.deps)).globalConfig.faviconHash)

  app.get('/favicon.webp', async (request, reply) => {
    const faviconHash = await findHash()
    const etag = `"favicon-${faviconHash?.slice(0, 8) ?? builtInTag}"`
    reply.headers({ etag, 'cache-control': 'public, max-age=604800', 'x-content-type-options': 'nosniff' })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
    const bytes = faviconHash === null ? mark : await bytesOf(faviconHash)
    return reply.type('image/webp').send(bytes)
  })
}
