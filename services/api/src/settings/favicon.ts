import { buffer } from 'node:stream/consumers'
import { Limits } from '@capstan/contract/limits'
import type { FastifyPluginAsync } from 'fastify'
import sharp from 'sharp'
import { createFileService } from '../files/service.ts'
import { matchesEtag } from '../http/etag.ts'
import { createSettingsService } from './service.ts'

/** The mark: a capstan seen from above, a hub with six bars. */
const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#5cb8d6">
  <path fill-rule="evenodd" d="M12 5.6a6.4 6.4 0 1 1 0 12.8a6.4 6.4 0 0 1 0-12.8Zm0 4.1a2.3 2.3 0 1 0 0 4.6a2.3 2.3 0 0 0 0-4.6Z"/>
  ${[0, 60, 120, 180, 240, 300].map((angle) => `<path d="M10.7 7h2.6V1.6a1.3 1.3 0 0 0-2.6 0Z" transform="rotate(${angle} 12 12)"/>`).join('')}
</svg>`

/** A stored GIF is kept as it is (behaviour §17), this address is always WebP: its first frame. */
const asWebp = async (bytes: Buffer): Promise<Buffer> =>
  (await sharp(bytes).metadata()).format === 'webp' ? bytes : sharp(bytes).resize(Limits.faviconWidthPx).webp().toBuffer()

const builtInTag = '00000000'

/** `/favicon.webp`: the uploaded favicon or the mark, with an ETag of its own form. Behaviour §1, other addresses. */
export const faviconRoutes: FastifyPluginAsync = async (app) => {
  const settings = createSettingsService(app.deps)
  const files = createFileService(app.deps)
  let builtIn: Promise<Buffer> | undefined
  const renderMark = () => sharp(Buffer.from(mark), { density: 768 }).resize(Limits.faviconWidthPx).webp().toBuffer()

  app.get('/favicon.webp', async (request, reply) => {
    const { faviconHash } = (await settings.read()).globalConfig
    const etag = `"favicon-${faviconHash?.slice(0, 8) ?? builtInTag}"`
    reply.headers({ etag, 'cache-control': 'public, max-age=604800', 'x-content-type-options': 'nosniff' })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
    builtIn ??= renderMark()
    const bytes = faviconHash === null ? await builtIn : await asWebp(await buffer(await files.open(faviconHash)))
    return reply.type('image/webp').send(bytes)
  })
}
