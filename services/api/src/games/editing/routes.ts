import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { sendWithEtag } from '../../server/http/ready-answer.ts'
import { presentGameDetail, presentGameSummary } from './presenter.ts'
import { getGamePage, listAllGames, listOwnGames, listRecentGames } from './service.ts'

/** Public pages of games. Rules: docs/contract/games-and-joining.md#game-list. */
export const gameRoutes: FastifyPluginAsync = async (app) => {
  app.operation(operations.listGames, async ({ request, reply }) =>
    sendWithEtag(request, reply, (await listRecentGames(app.deps)).map(presentGameSummary)),
  )

  app.operation(ownOperations.listAllGames, async ({ request, reply }) =>
    sendWithEtag(request, reply, (await listAllGames(app.deps)).map(presentGameSummary)),
  )

  app.operation(ownOperations.listOwnGames, async ({ user }) => (user ? listOwnGames(app.deps, user.id) : []))

  app.operation(operations.getGame, async ({ user, params }) => {
    const { game, divisions, ...facts } = await getGamePage(app.deps, params.id, user?.id)
    return presentGameDetail(game, divisions, facts)
  })
}
