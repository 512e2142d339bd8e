import { jsonSchemaText, schemaPath } from '@capstan/challenge-files/format/json-schema'
import type { FastifyPluginAsync } from 'fastify'
import { matchesEtag, weakEtagOf } from '../http/etag.ts'

/** Serves the JSON Schema of `capstan.yaml` for editors. It needs no session, and any site may read it. */
export const schemaRoutes: FastifyPluginAsync = async (app) => {
  const document = jsonSchemaText()
  const etag = weakEtagOf(document)

  app.get(schemaPath, async (request, reply) => {
    reply.headers({ etag, 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
    return reply.type('application/schema+json; charset=utf-8').send(document)
  })
}
