import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { createParticipationService } from './service.ts'

/** Joining, leaving and reviewing. Rules: docs/contract/games-and-joining.md. */
export const participationRoutes: FastifyPluginAsync = async (app) => {
  const participations = createParticipationService({ ...app.deps })

  app.operation(operations.joinGame, async ({ user, params, body, record }) => {
    const { team, game } = await participations.join(params.id, user.id, body)
    record(`Joined "${game}" with team "${team}"`)
  })

  app.operation(operations.leaveGame, async ({ user, params, record }) => {
    record(`Left "${await participations.leave(params.id, user.id)}"`)
  })

  app.operation(operations.listParticipations, async ({ params }) => participations.listForReview(params.id))

  app.operation(operations.setParticipationStatus, async ({ params, record }) => {
    const { team, game } = await participations.setStatus(params.id, params.status)
    record(`Set team "${team}" to ${params.status} in "${game}"`)
  })

  app.operation(operations.setParticipationDivision, async ({ params, record }) => {
    const { team, game } = await participations.setDivision(params.a, params.b)
    record(`Moved team "${team}" to division "${params.b.trim()}" in "${game}"`)
  })
}
