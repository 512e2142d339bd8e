import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentAward } from './presenter.ts'
import { createAward, listAwards, listTeamAwards, revokeAward } from './service.ts'

/** Points that organizers give in addition to the points of solves. Rules: docs/contract/scoreboard-and-events.md#awards. */
export const awardRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app

  app.operation(ownOperations.listAwards, async ({ params, query }) => {
    const { count = PageLimits.default, skip = 0, teamId } = query
    const { rows, total } = await listAwards(deps, params.id, { count, skip, teamId })
    return { data: rows.map(presentAward), length: rows.length, total }
  })

  app.operation(ownOperations.createAward, async ({ params, body, user, record }) => {
    const { game, award } = await createAward(deps, params.id, user.id, body)
    const { points, team, reason } = award
    record(
      points > 0
        ? `Gave ${points} points to team "${team}" in "${game}": ${reason}`
        : `Took ${-points} points from team "${team}" in "${game}": ${reason}`,
    )
    return presentAward(award)
  })

  app.operation(ownOperations.revokeAward, async ({ params, user, record }) => {
    const { game, award } = await revokeAward(deps, params.id, user.id, params.aid)
    record(`Revoked an award of ${award.points} points of team "${award.team}" in "${game}": ${award.reason}`)
    return presentAward(award)
  })

  app.operation(ownOperations.listTeamAwards, async ({ params, user }) => listTeamAwards(deps, params.id, user.id))
}
