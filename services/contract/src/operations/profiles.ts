import { Type } from 'typebox'
import { Id, Pages, Uuid, withOptions } from '../kit.ts'
import { Limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { OwnProfileVisibility, ProfileVisibility, TeamProfile, UserProfilePage } from '../profiles.ts'

const gamesQuery = Type.Object({
  count: Type.Optional(withOptions(Pages.count(Limits.profileGames), { maximum: Limits.profileGames })),
  skip: Type.Optional(Pages.skip),
})

/** Public pages of teams and players. */
export const profileOperations = {
  getTeamProfile: operation({
    tag: 'Profiles',
    method: 'GET',
    path: '/api/profiles/teams/{id}',
    access: 'anonymous',
    summary: "A team's public page",
    description: '404 without one, but for the members and for admins. `count` and `skip` are of the games.',
    params: Type.Object({ id: Id }),
    query: gamesQuery,
    response: TeamProfile,
    errors: [400, 404, 429, 500],
  }),
  getUserProfile: operation({
    tag: 'Profiles',
    method: 'GET',
    path: '/api/profiles/users/{id}',
    access: 'anonymous',
    summary: "A player's public page",
    description: '404 without one, but for the player and for admins. `count` and `skip` are of the games.',
    params: Type.Object({ id: Uuid }),
    query: gamesQuery,
    response: UserProfilePage,
    errors: [400, 404, 429, 500],
  }),
  listClosedTeams: operation({
    tag: 'Profiles',
    method: 'GET',
    path: '/api/profiles/games/{id}/closed',
    access: 'anonymous',
    summary: 'Teams of a game whose page the caller may not open',
    description: 'Ids of Accepted teams; names of all others can be links. Empty for a game that does not exist.',
    params: Type.Object({ id: Id }),
    response: Type.Array(Type.Integer({ format: 'int32' })),
    errors: [429, 500],
  }),
  getOwnVisibility: operation({
    tag: 'Profiles',
    method: 'GET',
    path: '/api/profiles/own',
    access: 'user',
    summary: "Whether the caller and the caller's teams have public pages",
    response: OwnProfileVisibility,
    errors: [401, 403, 429, 500],
  }),
  setOwnVisibility: operation({
    tag: 'Profiles',
    method: 'PUT',
    path: '/api/profiles/own',
    access: 'user',
    summary: 'Show or hide the own public page',
    body: ProfileVisibility,
    errors: [400, 401, 403, 429, 500],
  }),
  setTeamVisibility: operation({
    tag: 'Profiles',
    method: 'PUT',
    path: '/api/profiles/teams/{id}',
    access: 'captain',
    summary: "Show or hide the team's public page",
    params: Type.Object({ id: Id }),
    body: ProfileVisibility,
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
