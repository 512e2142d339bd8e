import { randomBytes } from 'node:crypto'
import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { ReadyAnswer, sendReadyResponse } from '../http/ready-answer.ts'
import { getSessionCookieName, isHttpsSite } from '../sessions/session-cookie.ts'
import { describeApi } from './describe.ts'
import { renderDocsPage } from './docs-page.ts'

/** Serves the API description and a page to browse it. */
export const openApiRoutes: FastifyPluginAsync = async (app) => {
  const cookie = getSessionCookieName(isHttpsSite(app.deps.config.publicOrigin, 'http'))
  const document = new ReadyAnswer(JSON.stringify(describeApi(operations, cookie)))

  app.get('/api/openapi.json', (request, reply) => sendReadyResponse(request, reply, document, 'no-cache'))

  app.get('/api/docs', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64')
    const policy = `default-src 'none'; connect-src 'self'; img-src 'self'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`
    return reply
      .headers({ 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(renderDocsPage(nonce))
  })
}
