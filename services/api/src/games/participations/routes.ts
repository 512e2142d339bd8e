import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { joinGame, leaveGame, listParticipationsForReview, setParticipationDivision, setParticipationStatus } from './service.ts'

/** Joining, leaving and reviewing. Rules: docs/contract/games-and-joining.md. */
export const participationRoutes: FastifyPluginAsync = async (app) => {
  app.operation(operations.joinGame, async ({ user, params, body, record }) => {
    const { team, game } = await joinGame({ ...app.deps, limiter: app.rateLimiter }, params.id, user.id, body)
    record(`Joined "${game}" with team "${team}"`)
  })

  app.operation(operations.leaveGame, async ({ user, params, record }) => {
    record(`Left "${await leaveGame(app.deps, params.id, user.id)}"`)
  })

  app.operation(operations.listParticipations, async ({ params }) => listParticipationsForReview(app.deps, params.id))

  app.operation(operations.setParticipationStatus, async ({ params, query, record }) => {
    const { team, game } = await setParticipationStatus(app.deps, params.id, params.status, query)
    record(`Set team "${team}" to ${params.status} in "${game}"`)
  })

  app.operation(operations.setParticipationDivision, async ({ params, record }) => {
    const { team, game } = await setParticipationDivision(app.deps, params.a, params.b)
    record(`Moved team "${team}" to division "${params.b.trim()}" in "${game}"`)
  })
}
