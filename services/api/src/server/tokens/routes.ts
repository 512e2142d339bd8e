import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentToken } from './presenter.ts'

/** Routes of API tokens for admins. Rules: docs/contract/tokens.md. */
export const tokenRoutes: FastifyPluginAsync = async (app) => {
  const { tokens } = app

  app.operation(ownOperations.listTokens, async () => (await tokens.list()).map(presentToken))
  app.operation(ownOperations.createToken, async ({ user, body, record }) => {
    const { token, info } = await tokens.create(user, body)
    record(`Created the API token ${info.name}`)
    return { token, info: presentToken(info) }
  })
  app.operation(ownOperations.deleteToken, async ({ params, query, record }) => {
    if (query.delete) record(`Removed the API token ${await tokens.remove(params.id)}`)
    else record(`Revoked the API token ${await tokens.setRevoked(params.id, true)}`)
  })
  app.operation(ownOperations.restoreToken, async ({ params, record }) => {
    record(`Restored the API token ${await tokens.setRevoked(params.id, false)}`)
  })
}
