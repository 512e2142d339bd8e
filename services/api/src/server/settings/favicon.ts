import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync } from 'fastify'
import { sniffImageType } from '../files/image-type.ts'
import { createFileService } from '../files/service.ts'
import { matchesEtag } from '../http/etag.ts'
import { shared } from '../http/shared.ts'
import { createSettingsService } from './service.ts'

const builtInTag = '00000000'

/**
 * `/favicon.webp`: the uploaded favicon or the mark, with an ETag of its own form.
 * Rules: docs/contract/http.md#other-addresses.
 */
export const faviconRoutes: FastifyPluginAsync = async (app) => {
  const { images } = app.deps
  const settings = createSettingsService(app.deps)
  const files = createFileService(app.deps)
  /** `mark.svg`, 256 wide. */
  const mark = readFileSync(new URL('./mark.webp', import.meta.url))

  /** The default mark, in place of a stored file that the present rules no longer accept as a picture. */
  const convert = (bytes: Buffer): Promise<Buffer> =>
    images.convert('favicon', bytes).then(
      (image) => image.bytes,
      (error: unknown) => {
        if (error instanceof Problem && error.code.startsWith('file.')) return mark
        throw error
      },
    )

  /** Earlier versions stored a GIF as it was. */
  const read = async (hash: string): Promise<Buffer> => {
    const bytes = await buffer(await files.open(hash))
    return sniffImageType(bytes) === 'image/webp' ? bytes : convert(bytes)
  }

  /** It is read, and decoded, once and not for each visitor. */
  let kept: { readonly hash: string; readonly bytes: Promise<Buffer> } | undefined
  const bytesOf = (hash: string): Promise<Buffer> => {
    if (kept?.hash === hash) return kept.bytes
    const current = { hash, bytes: read(hash) }
    kept = current
    return current.bytes.catch((error: unknown) => {
      if (kept === current) kept = undefined
      throw error
    })
  }
  const findHash = shared(async () => (await settings.read()).globalConfig.faviconHash)

  app.get('/favicon.webp', async (request, reply) => {
    const faviconHash = await findHash()
    const etag = `"favicon-${faviconHash?.slice(0, 8) ?? builtInTag}"`
    reply.headers({ etag, 'cache-control': 'public, max-age=604800', 'x-content-type-options': 'nosniff' })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
    const bytes = faviconHash === null ? mark : await bytesOf(faviconHash)
    return reply.type('image/webp').send(bytes)
  })
}
