import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { createParticipationService } from './service.ts'

/** Joining, leaving and reviewing. Behaviour §9. */
export const participationRoutes: FastifyPluginAsync = async (app) => {
  const { platformLog } = app.deps
  const participations = createParticipationService({ ...app.deps, scoreboards: app.scoreboards })

  app.operation(operations.joinGame, async ({ user, params, body, request }) => {
    await participations.join(params.id, user.id, body)
    const message = `Joined the game ${params.id} with team ${body.teamId}`
    platformLog.write({ level: 'Information', name: user.userName, address: request.ip, message, status: 'Success' })
  })

  app.operation(operations.leaveGame, async ({ user, params, request }) => {
    await participations.leave(params.id, user.id)
    const message = `Left the game ${params.id}`
    platformLog.write({ level: 'Information', name: user.userName, address: request.ip, message, status: 'Success' })
  })

  app.operation(operations.listParticipations, async ({ params }) => participations.listForReview(params.id))

  app.operation(operations.setParticipationStatus, async ({ user, params, request }) => {
    const { team, game } = await participations.setStatus(params.id, params.status)
    const message = `Set team "${team}" to ${params.status} in "${game}"`
    platformLog.write({ level: 'Information', name: user.userName, address: request.ip, message, status: 'Success' })
  })

  app.operation(operations.setParticipationDivision, async ({ user, params, request }) => {
    const { team, game } = await participations.setDivision(params.a, params.b)
    const message = `Moved team "${team}" to division "${params.b.trim()}" in "${game}"`
    platformLog.write({ level: 'Information', name: user.userName, address: request.ip, message, status: 'Success' })
  })
}
