import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { createSourceService } from './service.ts'

/** Sources of games and challenges that are managed as code. ADR 32. */
export const sourceRoutes: FastifyPluginAsync = async (app) => {
  const sources = createSourceService({ ...app.deps })

  app.operation(ownOperations.getEditGrant, async ({ user: { token } }) => ({
    name: token?.name ?? null,
    scope: token?.scope ?? 'WritePlatform',
    gameId: token?.gameId ?? null,
  }))

  app.operation(ownOperations.findSourcedGame, async ({ params }) => sources.findGame(params.name))

  app.operation(ownOperations.openSourcedGame, async ({ body }) => sources.openGame(body))

  app.operation(ownOperations.getGameSource, async ({ params }) => sources.getGame(params.id))

  app.operation(ownOperations.setGameSource, async ({ params, body, user: { token } }) =>
    sources.setGame(params.id, body, token?.gameId != null),
  )

  app.operation(ownOperations.openSourcedChallenge, async ({ params, body }) => sources.openChallenge(params.id, body))

  app.operation(ownOperations.setWholeChallenge, async ({ params, body }) =>
    sources.setWholeChallenge(params.id, params.cid, body),
  )

  app.operation(ownOperations.setChallengeSource, async ({ params, body }) => sources.setChallenge(params.id, params.cid, body))
}
