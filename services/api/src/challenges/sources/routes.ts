import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import {
  findOrCreateSourceChallenge,
  findOrCreateSourceGame,
  findSourceGame,
  getSourceGame,
  replaceSourceChallenge,
  setSourceChallenge,
  setSourceGame,
} from './service.ts'

export const sourceRoutes: FastifyPluginAsync = async (app) => {
  app.operation(ownOperations.getEditGrant, async ({ user: { token } }) => ({
    name: token?.name ?? null,
    scope: token?.scope ?? 'WritePlatform',
    gameId: token?.gameId ?? null,
    choices: app.deps.config.instances.choices,
  }))

  app.operation(ownOperations.findSourcedGame, async ({ params }) => findSourceGame(app.deps, params.name))

  app.operation(ownOperations.openSourcedGame, async ({ body }) => findOrCreateSourceGame(app.deps, body))

  app.operation(ownOperations.getGameSource, async ({ params }) => getSourceGame(app.deps, params.id))

  app.operation(ownOperations.setGameSource, async ({ params, body, user: { token } }) =>
    setSourceGame(app.deps, params.id, body, token?.gameId != null),
  )

  app.operation(ownOperations.openSourcedChallenge, async ({ params, body }) =>
    findOrCreateSourceChallenge(app.deps, params.id, body),
  )

  app.operation(ownOperations.replaceChallenge, async ({ params, body }) =>
    replaceSourceChallenge(app.deps, params.id, params.cid, body),
  )

  app.operation(ownOperations.setChallengeSource, async ({ params, body }) =>
    setSourceChallenge(app.deps, params.id, params.cid, body),
  )
}
