import { teamOrders } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import type { FastifyPluginAsync } from 'fastify'
import { readUpload } from '../../server/files/uploads.ts'
import {
  acceptInvite,
  addMemberByAdmin,
  appointCaptainByAdmin,
  createTeam,
  deleteTeamByAdmin,
  disbandTeam,
  findTeams,
  getInvite,
  getTeam,
  kickMember,
  leaveTeam,
  listTeams,
  listTeamsOfUser,
  readTeamAsSeenBy,
  removeMemberByAdmin,
  renewInvite,
  searchTeams,
  setTeamAvatar,
  transferTeam,
  updateTeam,
  updateTeamByAdmin,
  verifyTeamToken,
} from './service.ts'

/** Team routes for users and admins. Rules: docs/contract/teams.md, docs/contract/admin.md#users. */
export const teamRoutes: FastifyPluginAsync = async (app) => {
  app.operation(operations.listOwnTeams, async ({ user }) => listTeamsOfUser(app.deps, user.id))

  app.operation(operations.getTeam, async ({ user, params }) => readTeamAsSeenBy(app.deps, params.id, user))

  app.operation(operations.createTeam, async ({ user, body, record }) => {
    const team = await createTeam(app.deps, user.id, body)
    record(`Created team ${team.name}`)
    return team
  })

  app.operation(operations.updateTeam, async ({ user, params, body, record }) => {
    const team = await updateTeam(app.deps, user.id, params.id, body)
    record(`Changed team ${team.name}`)
    return team
  })

  app.operation(operations.deleteTeam, async ({ user, params, record }) => {
    record(`Disbanded team ${await disbandTeam(app.deps, user.id, params.id)}`)
  })

  app.operation(operations.getInvite, async ({ user, params }) => getInvite(app.deps, user.id, params.id))

  app.operation(operations.renewInvite, async ({ user, params, record }) => {
    const { name, code } = await renewInvite(app.deps, user.id, params.id)
    record(`Renewed the invitation code of team ${name}`)
    return code
  })

  app.operation(operations.acceptInvite, async ({ user, body, record }) => {
    const team = await acceptInvite(app.deps, user.id, body)
    record(`Joined team ${team.name}`)
  })

  app.operation(operations.kickMember, async ({ user, params, record }) => {
    const team = await kickMember(app.deps, user.id, params.id, params.userId)
    record(`Removed a member of team ${team.name}`)
    return team
  })

  app.operation(operations.leaveTeam, async ({ user, params, record }) => {
    record(`Left team ${await leaveTeam(app.deps, user.id, params.id)}`)
  })

  app.operation(operations.transferTeam, async ({ user, params, body, record }) => {
    const team = await transferTeam(app.deps, user.id, params.id, body.newCaptainId)
    record(`Handed over team ${team.name}`)
    return team
  })

  app.operation(operations.setTeamAvatar, async ({ user, params, record, request }) => {
    const { field, maxBytes } = operations.setTeamAvatar.upload
    const { bytes } = await readUpload(request, field, maxBytes)
    const { name, address } = await setTeamAvatar(app.deps, { id: user.id, address: request.ip }, params.id, bytes)
    record(`Changed the avatar of team ${name}`)
    return address
  })

  app.operation(operations.verifyTeamToken, async ({ body }) => verifyTeamToken(app.deps, body))

  app.operation(operations.listTeams, async ({ query }) => {
    const { data, total } = await listTeams(app.deps, { count: query.count ?? PageLimits.default, skip: query.skip ?? 0 })
    return { data, length: data.length, total }
  })

  app.operation(ownOperations.findTeams, async ({ query, ...call }) => {
    const filter = { sort: teamOrders[0], descending: true, count: PageLimits.default, skip: 0, ...query }
    const { data, total } = await app.searchInTurn(call, () => findTeams(app.deps, filter))
    return { data, length: data.length, total }
  })

  app.operation(operations.searchTeams, async ({ query, ...call }) => {
    const data = await app.searchInTurn(call, () => searchTeams(app.deps, query.hint))
    return { data, length: data.length, total: data.length }
  })

  app.operation(operations.adminUpdateTeam, async ({ params, body, record }) => {
    const name = await updateTeamByAdmin(app.deps, params.id, body)
    record(`Changed team "${name}"`)
  })

  app.operation(operations.adminDeleteTeam, async ({ params, record }) => {
    const name = await deleteTeamByAdmin(app.deps, params.id)
    record(`Deleted team "${name}"`)
  })

  const memberName = (team: TeamInfo, userId: string): string => team.members?.find(({ id }) => id === userId)?.userName ?? userId

  app.operation(ownOperations.putTeamMember, async ({ params, query, record }) => {
    const before = query.from === undefined ? undefined : await getTeam(app.deps, query.from)
    const team = await addMemberByAdmin(app.deps, params.id, params.userId, query.from)
    const name = memberName(team, params.userId)
    record(
      before ? `Moved "${name}" from team "${before.name}" to team "${team.name}"` : `Added "${name}" to team "${team.name}"`,
    )
    return team
  })

  app.operation(ownOperations.removeTeamMember, async ({ params, record }) => {
    const before = await getTeam(app.deps, params.id)
    const team = await removeMemberByAdmin(app.deps, params.id, params.userId)
    record(`Removed "${memberName(before, params.userId)}" from team "${team.name}"`)
    return team
  })

  app.operation(ownOperations.setTeamCaptain, async ({ params, record }) => {
    const team = await appointCaptainByAdmin(app.deps, params.id, params.userId)
    record(`Made "${memberName(team, params.userId)}" captain of team "${team.name}"`)
    return team
  })
}
