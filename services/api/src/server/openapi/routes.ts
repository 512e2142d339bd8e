import { randomBytes } from 'node:crypto'
import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { ReadyAnswer, sendReady } from '../http/ready-answer.ts'
import { isHttpsSite, sessionCookieName } from '../sessions/session-cookie.ts'
import { describeApi } from './describe.ts'
import { docsPage } from './docs-page.ts'

/** Serves the API description and a page to browse it. */
export const openApiRoutes: FastifyPluginAsync = async (app) => {
  const cookie = sessionCookieName(isHttpsSite(app.deps.config.publicOrigin, 'http'))
  const document = new ReadyAnswer(JSON.stringify(describeApi(operations, cookie)))

  app.get('/api/openapi.json', (request, reply) => sendReady(request, reply, document, 'no-cache'))

  app.get('/api/docs', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64')
    const policy = `default-src 'none'; connect-src 'self'; img-src 'self'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`
    return reply
      .headers({ 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(docsPage(nonce))
  })
}
