import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import {
  findSourceGame,
  getSourceGame,
  openSourceChallenge,
  openSourceGame,
  setSourceChallenge,
  setSourceGame,
  setWholeSourceChallenge,
} from './service.ts'

export const sourceRoutes: FastifyPluginAsync = async (app) => {
  app.operation(ownOperations.getEditGrant, async ({ user: { token } }) => ({
    name: token?.name ?? null,
    scope: token?.scope ?? 'WritePlatform',
    gameId: token?.gameId ?? null,
  }))

  app.operation(ownOperations.findSourcedGame, async ({ params }) => findSourceGame(app.deps, params.name))

  app.operation(ownOperations.openSourcedGame, async ({ body }) => openSourceGame(app.deps, body))

  app.operation(ownOperations.getGameSource, async ({ params }) => getSourceGame(app.deps, params.id))

  app.operation(ownOperations.setGameSource, async ({ params, body, user: { token } }) =>
    setSourceGame(app.deps, params.id, body, token?.gameId != null),
  )

  app.operation(ownOperations.openSourcedChallenge, async ({ params, body }) => openSourceChallenge(app.deps, params.id, body))

  app.operation(ownOperations.setWholeChallenge, async ({ params, body }) =>
    setWholeSourceChallenge(app.deps, params.id, params.cid, body),
  )

  app.operation(ownOperations.setChallengeSource, async ({ params, body }) =>
    setSourceChallenge(app.deps, params.id, params.cid, body),
  )
}
