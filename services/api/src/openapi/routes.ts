import { randomBytes } from 'node:crypto'
import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { matchesEtag, weakEtagOf } from '../http/etag.ts'
import { isHttpsSite, sessionCookieName } from '../sessions/session-cookie.ts'
import { describeApi } from './describe.ts'
import { docsPage } from './docs-page.ts'

/** The API description, and a page to browse it. */
export const openApiRoutes: FastifyPluginAsync = async (app) => {
  const cookie = sessionCookieName(isHttpsSite(app.deps.config.publicOrigin, 'http'))
  const document = JSON.stringify(describeApi(operations, cookie))
  const etag = weakEtagOf(document)

  app.get('/api/openapi.json', async (request, reply) => {
    reply.header('etag', etag).header('cache-control', 'no-cache')
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
    return reply.type('application/json; charset=utf-8').send(document)
  })

  app.get('/api/docs', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64')
    const policy = `default-src 'none'; connect-src 'self'; img-src 'self'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`
    return reply
      .headers({ 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(docsPage(nonce))
  })
}
