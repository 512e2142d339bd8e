import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { createDivision, deleteDivision, getJoinOptions, listDivisions, updateDivision } from './division-service.ts'
import { presentDivision } from './presenter.ts'

/** Divisions of a game with their rights. Rules: docs/contract/games-and-joining.md#divisions. */
export const divisionRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app

  app.operation(ownOperations.listDivisions, async ({ params }) => {
    const divisions = await listDivisions(deps, params.id)
    return divisions.map(presentDivision).sort((left, right) => left.id - right.id)
  })

  app.operation(ownOperations.createDivision, async ({ params, body, record }) => {
    const made = await createDivision(deps, params.id, body)
    record(`Added division "${made.division.name}" to "${made.game.title}"`)
    return presentDivision(made)
  })

  app.operation(ownOperations.updateDivision, async ({ params, body, record }) => {
    const changed = await updateDivision(deps, params.id, params.did, body)
    record(`Changed division "${changed.division.name}" of "${changed.game.title}"`)
    return presentDivision(changed)
  })

  app.operation(ownOperations.deleteDivision, async ({ params }) => deleteDivision(deps, params.id, params.did))

  app.operation(ownOperations.checkJoin, async ({ params, user }) => getJoinOptions(deps, params.id, user.id))
}
