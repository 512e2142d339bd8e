import { jsonSchemaText, schemaPath } from '@capstan/challenge-files/format/json-schema'
import type { FastifyPluginAsync } from 'fastify'
import { ReadyAnswer, sendReadyResponse } from '../http/ready-answer.ts'

/** Serves the JSON Schema of `capstan.yaml` for editors. It needs no session, and any site may read it. */
export const schemaRoutes: FastifyPluginAsync = async (app) => {
  const document = new ReadyAnswer(jsonSchemaText(), undefined, 'application/schema+json; charset=utf-8')

  app.get(schemaPath, (request, reply) => {
    reply.header('access-control-allow-origin', '*')
    return sendReadyResponse(request, reply, document, 'public, max-age=3600')
  })
}
