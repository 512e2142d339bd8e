import { PageLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { readUpload } from '../files/uploads.ts'
import type { SessionUser } from '../sessions/repository.ts'
import { createTeamService } from './service.ts'

/** Team endpoints for signed-in users and, below, for admins. Spec §7 Team, behaviour §6, §7. */
export const teamRoutes: FastifyPluginAsync = async (app) => {
  const teams = createTeamService({ ...app.deps, scoreboards: app.scoreboards })
  const record = (user: SessionUser, request: FastifyRequest, message: string) =>
    app.deps.platformLog.write({ level: 'Information', name: user.userName, address: request.ip, message, status: 'Success' })

  app.operation(operations.listOwnTeams, async ({ user }) => teams.listOfUser(user.id))

  app.operation(operations.getTeam, async ({ params }) => teams.getPage(params.id))

  app.operation(operations.createTeam, async ({ user, body, request }) => {
    const team = await teams.create(user.id, body)
    record(user, request, `Created team ${team.name}`)
    return team
  })

  app.operation(operations.updateTeam, async ({ user, params, body, request }) => {
    const team = await teams.update(user.id, params.id, body)
    record(user, request, `Changed team ${team.name}`)
    return team
  })

  app.operation(operations.deleteTeam, async ({ user, params, request }) => {
    await teams.disband(user.id, params.id)
    record(user, request, `Disbanded team ${params.id}`)
  })

  app.operation(operations.getInvite, async ({ user, params }) => teams.getInvite(user.id, params.id))

  app.operation(operations.renewInvite, async ({ user, params, request }) => {
    const code = await teams.renewInvite(user.id, params.id)
    record(user, request, `Renewed the invitation code of team ${params.id}`)
    return code
  })

  app.operation(operations.acceptInvite, async ({ user, body, request }) => {
    const team = await teams.accept(user.id, body)
    record(user, request, `Joined team ${team.name}`)
  })

  app.operation(operations.kickMember, async ({ user, params, request }) => {
    const team = await teams.kick(user.id, params.id, params.userId)
    record(user, request, `Removed a member of team ${team.name}`)
    return team
  })

  app.operation(operations.leaveTeam, async ({ user, params, request }) => {
    await teams.leave(user.id, params.id)
    record(user, request, `Left team ${params.id}`)
  })

  app.operation(operations.transferTeam, async ({ user, params, body, request }) => {
    const team = await teams.transfer(user.id, params.id, body.newCaptainId)
    record(user, request, `Handed over team ${team.name}`)
    return team
  })

  app.operation(operations.setTeamAvatar, async ({ user, params, request }) => {
    const { field, maxBytes } = operations.setTeamAvatar.upload
    const { bytes } = await readUpload(request, field, maxBytes)
    const address = await teams.setAvatar(user.id, params.id, bytes)
    record(user, request, `Changed the avatar of team ${params.id}`)
    return address
  })

  app.operation(operations.verifyTeamToken, async ({ body }) => teams.verifyToken(body))

  app.operation(operations.listTeams, async ({ query }) => {
    const { data, total } = await teams.listPage({ count: query.count ?? PageLimits.usual, skip: query.skip ?? 0 })
    return { data, length: data.length, total }
  })

  app.operation(operations.searchTeams, async ({ query }) => {
    const data = await teams.search(query.hint)
    return { data, length: data.length, total: data.length }
  })

  app.operation(operations.adminUpdateTeam, async ({ user, params, body, request }) => {
    const name = await teams.updateByAdmin(params.id, body)
    record(user, request, `Changed team "${name}"`)
  })

  app.operation(operations.adminDeleteTeam, async ({ user, params, request }) => {
    const name = await teams.deleteByAdmin(params.id)
    record(user, request, `Deleted team "${name}"`)
  })
}
