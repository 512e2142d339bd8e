import { randomBytes } from 'node:crypto'
import { ReadStream, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Guard } from '@capstan/http/guard'
import compress from '@fastify/compress'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { createContentSecurityPolicy, type PageSettings, renderIndexPage } from './index-page.ts'

export type PagesOptions = Readonly<{
  /** Folder of the built web client: `index.html` and `static/`. */
  folder: string
  /** Returns the content of the index page. Called for each request of a page, so the function should cache the content. */
  readSettings: () => Promise<PageSettings>
  /** URL of the source repository for this deployment. A URL in the admin settings has precedence. */
  repository?: string | undefined
}>

function pathnameOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? '/'
}

function isPage(request: FastifyRequest): boolean {
  const pathname = pathnameOf(request)
  const isReserved = /^\/(api|hub|assets|internal|metrics|static)(\/|$)/i.test(pathname)
  return (request.method === 'GET' || request.method === 'HEAD') && !isReserved && path.extname(pathname) === ''
}

/** Makes the app ignore the bodies of requests, because no page needs a body. */
export function ignoreRequestBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/** Returns the contents of all files in a folder, by path. */
function readFolder(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => path.join(entry.parentPath, entry.name))
  return new Map(paths.map((file) => [file, readFileSync(file)]))
}

/**
 * Returns the range of bytes in a response with this `Content-Range` header. Without the header, the response contains all bytes.
 */
function findRange(contentRange: unknown): readonly [start: number, end: number | undefined] {
  const [, first = '0', last] = /^bytes (\d+)-(\d+)\//.exec(String(contentRange)) ?? []
  return [Number(first), last === undefined ? undefined : Number(last) + 1]
}

/**
 * Serves the web client, whose files are already compressed. Clients cache hashed files forever and all other files for a week.
 * Every other path without an extension gets the index page. A not-found handler calls `answerIndexPage(request, reply)`, which
 * returns undefined if the request is not for a page.
 */
export const pagesPlugin = fastifyPlugin(
  async (app: FastifyInstance, { folder, readSettings, repository }: PagesOptions) => {
    /** Folder of hashed files: the name of each file changes with its content. */
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
          'content-security-policy': createContentSecurityPolicy(nonce),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'strict-origin-when-cross-origin',
          'x-frame-options': 'DENY',
        })
        .send(renderIndexPage(template, { repository, ...(await readSettings()) }, nonce, pathnameOf(request)))
    }
    app.decorate('answerIndexPage', answerIndexPage)
    // Send the files from one copy in memory, which all responses share. A stream would take about 70 KB of memory for
    // each client that does not read its response.
    const contents = readFolder(folder)
    app.addHook('onSend', async (_request, reply, payload) => {
      if (!(payload instanceof ReadStream)) return payload
      const content = contents.get(String(payload.path))
      if (!content) return payload
      // Ignore errors of the stream, which may already be opening the file. The response does not use the stream.
      new Guard(undefined).on(payload, 'error', () => {})
      payload.destroy()
      return content.subarray(...findRange(reply.getHeader('content-range')))
    })
    await app.register(compress, { encodings: ['br', 'gzip'], threshold: 1024 })
    await app.register(fastifyStatic, {
      root: folder,
      index: false,
      wildcard: false,
      // List the files once at the start. A request can then only get a listed file, and no path can lead outside of the folder.
      globIgnore: ['index.html', '**/.*', '**/*.br', '**/*.gz'],
      // The build precompresses all files. Only the index page is compressed per request.
      preCompressed: true,
      cacheControl: false,
      setHeaders: (response, file) => {
        const isHashed = file.startsWith(hashed)
        response.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=604800')
        // Hashed files never change, so clients need neither validation nor ranges.
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
