import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { setTeamVisibility } from '../../people/teams/service.ts'
import { sendWithEtag } from '../../server/http/ready-answer.ts'
import { createProfileService } from './service.ts'

function pageOf({ count, skip }: Readonly<{ count?: number; skip?: number }>) {
  return {
    count: count ?? Limits.profileGames,
    skip: skip ?? 0,
  }
}

/** Public pages of teams and players. Rules: docs/contract/profiles.md. */
export const profileRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, scoreboards: app.scoreboards }
  const profiles = createProfileService(deps)

  app.operation(ownOperations.getTeamProfile, async ({ user, params, query, request, reply }) =>
    sendWithEtag(request, reply, await profiles.getTeam(params.id, user, pageOf(query))),
  )

  app.operation(ownOperations.getUserProfile, async ({ user, params, query, request, reply }) =>
    sendWithEtag(request, reply, await profiles.getUser(params.id, user, pageOf(query))),
  )

  app.operation(ownOperations.listClosedTeams, async ({ user, params, request, reply }) =>
    sendWithEtag(request, reply, await profiles.listClosed(params.id, user)),
  )

  app.operation(ownOperations.getOwnVisibility, async ({ user }) => profiles.getOwn(user))

  app.operation(ownOperations.setOwnVisibility, async ({ user, body, record }) => {
    await profiles.setOwn(user.id, body.hasPublicPage)
    record(body.hasPublicPage ? 'Showed the own public page' : 'Hid the own public page')
  })

  app.operation(ownOperations.setTeamVisibility, async ({ user, params, body, record }) => {
    const name = await setTeamVisibility(deps, user.id, params.id, body.hasPublicPage)
    record(`${body.hasPublicPage ? 'Showed' : 'Hid'} the public page of team ${name}`)
  })
}
