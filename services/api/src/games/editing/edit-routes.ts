import { pathOfStoredFile } from '@capstan/contract/asset-address'
import { Id } from '@capstan/contract/kit'
import { PageLimits } from '@capstan/contract/limits'
import { operation } from '@capstan/contract/operation'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { queueCallerOf } from '../../server/fair-queue.ts'
import { readUpload } from '../../server/files/uploads.ts'
import { presentAdminGame } from './presenter.ts'
import {
  createGame,
  deleteGame,
  type GameWithDivisions,
  getGameForEdit,
  getGameHashSalt,
  listGamesForEdit,
  revealBoard,
  setGamePoster,
  undoBoardReveal,
  updateGame,
} from './service.ts'

export const getHashSalt = operation({
  tag: 'Edit',
  method: 'GET',
  path: '/api/edit/games/{id}/hashsalt',
  access: 'admin',
  summary: 'Salt of the TEAM_HASH flags of a game',
  params: Type.Object({ id: Id }),
  response: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  errors: [401, 403, 404, 429, 500],
})

function present({ game, divisions }: GameWithDivisions) {
  return presentAdminGame(game, divisions)
}

/** Games for organizers. Rules: docs/contract/games-and-joining.md#editing-games. */
export const gameEditRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app

  app.operation(operations.adminListGames, async ({ query }) => {
    const { rows, total } = await listGamesForEdit(deps, { count: query.count ?? PageLimits.default, skip: query.skip ?? 0 })
    return { data: rows.map(present), length: rows.length, total }
  })

  app.operation(operations.createGame, async ({ body }) => present(await createGame(deps, body)))

  app.operation(operations.adminGetGame, async ({ params }) => present(await getGameForEdit(deps, params.id)))

  app.operation(operations.updateGame, async ({ params, body }) => present(await updateGame(deps, params.id, body)))

  app.operation(ownOperations.revealBoard, async ({ params, record }) => {
    const revealed = await revealBoard(deps, params.id)
    record(`Revealed the scoreboard of "${revealed.game.title}"`)
    return present(revealed)
  })

  app.operation(ownOperations.undoReveal, async ({ params, record }) => {
    const frozen = await undoBoardReveal(deps, params.id)
    record(`Undid the reveal of the scoreboard of "${frozen.game.title}"`)
    return present(frozen)
  })

  app.operation(operations.deleteGame, async ({ params }) => deleteGame(deps, params.id))

  app.operation(operations.setGamePoster, async ({ params, user, request }) => {
    const { field, maxBytes } = operations.setGamePoster.upload
    const { bytes } = await readUpload(request, field, maxBytes)
    const { hash, name } = await setGamePoster(deps, params.id, bytes, queueCallerOf(request.ip, user.id))
    return pathOfStoredFile(hash, name)
  })

  app.operation(getHashSalt, async ({ params }) => getGameHashSalt(deps, params.id))
}
