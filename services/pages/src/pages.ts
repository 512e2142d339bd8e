import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import compress from '@fastify/compress'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { contentSecurityPolicy, type PageSettings, renderIndexPage } from './index-page.ts'

export interface PagesOptions {
  /** Folder of the built web client: `index.html` and `static/`. */
  readonly folder: string
  /** Title and description of the platform; called for every page, so it should answer from memory. */
  readonly readSettings: () => Promise<PageSettings>
  /** Address of the source repository, where this deployment names one; what an admin says goes before it. */
  readonly repository?: string | undefined
}

const isPage = (request: FastifyRequest): boolean => {
  const pathname = request.url.split('?')[0] ?? '/'
  const isOurs = /^\/(api|hub|assets|internal|metrics|static)(\/|$)/i.test(pathname)
  return (request.method === 'GET' || request.method === 'HEAD') && !isOurs && path.extname(pathname) === ''
}

/** No page takes a body: what is sent is neither kept nor read as anything. */
export const takeNoBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/**
 * Serves the web client, compressed: files that change their name for good, the others with a week of caching, and the index page
 * for every other path without extension.
 * `answerIndexPage(request, reply)` is what a not-found handler calls; it returns undefined for paths that are no pages.
 */
export const pagesPlugin = fastifyPlugin(
  async (app: FastifyInstance, { folder, readSettings, repository }: PagesOptions) => {
    /** Names in this folder change with their content. */
    const hashed = path.join(folder, 'static', path.sep)
    const template = readFileSync(path.join(folder, 'index.html'), 'utf8')

    const answerIndexPage = async (request: FastifyRequest, reply: FastifyReply) => {
      if (!isPage(request)) return undefined
      const nonce = randomBytes(16).toString('base64')
      return reply
        .status(200)
        .type('text/html; charset=utf-8')
        .headers({
          'cache-control': 'no-store',
          'content-security-policy': contentSecurityPolicy(nonce),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'strict-origin-when-cross-origin',
          'x-frame-options': 'DENY',
        })
        .send(renderIndexPage(template, { repository, ...(await readSettings()) }, nonce))
    }
    app.decorate('answerIndexPage', answerIndexPage)
    await app.register(compress, { encodings: ['br', 'gzip'], threshold: 1024 })
    await app.register(fastifyStatic, {
      root: folder,
      index: false,
      wildcard: false,
      // Only what is there when the process starts: names cannot lead anywhere else.
      globIgnore: ['index.html', '**/.*', '**/*.br', '**/*.gz'],
      // The build put them beside the files: nothing is compressed for a visitor but the index page.
      preCompressed: true,
      cacheControl: false,
      setHeaders: (response, file) => {
        const isHashed = file.startsWith(hashed)
        response.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=604800')
        // Nobody asks whether one has changed, or for a part.
        if (isHashed) for (const name of ['etag', 'last-modified', 'accept-ranges']) response.removeHeader(name)
        response.header('x-content-type-options', 'nosniff')
      },
    })
    app.get('/', (request, reply) => answerIndexPage(request, reply))
  },
  { name: 'pages' },
)

declare module 'fastify' {
  interface FastifyInstance {
    answerIndexPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>
  }
}
