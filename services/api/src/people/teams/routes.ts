import { teamOrders } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import type { FastifyPluginAsync } from 'fastify'
import { readUpload } from '../../server/files/uploads.ts'
import { createTeamService } from './service.ts'

/** Team routes for users and admins. Rules: docs/contract/teams.md, docs/contract/admin.md#users. */
export const teamRoutes: FastifyPluginAsync = async (app) => {
  const teams = createTeamService({ ...app.deps })

  app.operation(operations.listOwnTeams, async ({ user }) => teams.listOfUser(user.id))

  app.operation(operations.getTeam, async ({ params }) => teams.getPage(params.id))

  app.operation(operations.createTeam, async ({ user, body, record }) => {
    const team = await teams.create(user.id, body)
    record(`Created team ${team.name}`)
    return team
  })

  app.operation(operations.updateTeam, async ({ user, params, body, record }) => {
    const team = await teams.update(user.id, params.id, body)
    record(`Changed team ${team.name}`)
    return team
  })

  app.operation(operations.deleteTeam, async ({ user, params, record }) => {
    record(`Disbanded team ${await teams.disband(user.id, params.id)}`)
  })

  app.operation(operations.getInvite, async ({ user, params }) => teams.getInvite(user.id, params.id))

  app.operation(operations.renewInvite, async ({ user, params, record }) => {
    const { name, code } = await teams.renewInvite(user.id, params.id)
    record(`Renewed the invitation code of team ${name}`)
    return code
  })

  app.operation(operations.acceptInvite, async ({ user, body, record }) => {
    const team = await teams.accept(user.id, body)
    record(`Joined team ${team.name}`)
  })

  app.operation(operations.kickMember, async ({ user, params, record }) => {
    const team = await teams.kick(user.id, params.id, params.userId)
    record(`Removed a member of team ${team.name}`)
    return team
  })

  app.operation(operations.leaveTeam, async ({ user, params, record }) => {
    record(`Left team ${await teams.leave(user.id, params.id)}`)
  })

  app.operation(operations.transferTeam, async ({ user, params, body, record }) => {
    const team = await teams.transfer(user.id, params.id, body.newCaptainId)
    record(`Handed over team ${team.name}`)
    return team
  })

  app.operation(operations.setTeamAvatar, async ({ user, params, record, request }) => {
    const { field, maxBytes } = operations.setTeamAvatar.upload
    const { bytes } = await readUpload(request, field, maxBytes)
    const { name, address } = await teams.setAvatar(user.id, params.id, bytes)
    record(`Changed the avatar of team ${name}`)
    return address
  })

  app.operation(operations.verifyTeamToken, async ({ body }) => teams.verifyToken(body))

  app.operation(operations.listTeams, async ({ query }) => {
    const { data, total } = await teams.listPage({ count: query.count ?? PageLimits.usual, skip: query.skip ?? 0 })
    return { data, length: data.length, total }
  })

  app.operation(ownOperations.findTeams, async ({ query }) => {
    const { data, total } = await teams.findBy({
      ...{ sort: teamOrders[0], descending: true, count: PageLimits.usual, skip: 0 },
      ...query,
    })
    return { data, length: data.length, total }
  })

  app.operation(operations.searchTeams, async ({ query }) => {
    const data = await teams.search(query.hint)
    return { data, length: data.length, total: data.length }
  })

  app.operation(operations.adminUpdateTeam, async ({ params, body, record }) => {
    const name = await teams.updateByAdmin(params.id, body)
    record(`Changed team "${name}"`)
  })

  app.operation(operations.adminDeleteTeam, async ({ params, record }) => {
    const name = await teams.deleteByAdmin(params.id)
    record(`Deleted team "${name}"`)
  })

  const memberName = (team: TeamInfo, userId: string): string => team.members?.find(({ id }) => id === userId)?.userName ?? userId

  app.operation(ownOperations.putTeamMember, async ({ params, query, record }) => {
    const before = query.from === undefined ? undefined : await teams.getPage(query.from)
    const team = await teams.putMemberByAdmin(params.id, params.userId, query.from)
    const name = memberName(team, params.userId)
    record(
      before ? `Moved "${name}" from team "${before.name}" to team "${team.name}"` : `Added "${name}" to team "${team.name}"`,
    )
    return team
  })

  app.operation(ownOperations.removeTeamMember, async ({ params, record }) => {
    const before = await teams.getPage(params.id)
    const team = await teams.removeMemberByAdmin(params.id, params.userId)
    record(`Removed "${memberName(before, params.userId)}" from team "${team.name}"`)
    return team
  })

  app.operation(ownOperations.setTeamCaptain, async ({ params, record }) => {
    const team = await teams.appointByAdmin(params.id, params.userId)
    record(`Made "${memberName(team, params.userId)}" captain of team "${team.name}"`)
    return team
  })
}
