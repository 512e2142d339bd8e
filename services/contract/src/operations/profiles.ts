import { Type } from 'typebox'
import { Id, Pages, Uuid, withSchemaOptions } from '../kit.ts'
import { Limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { OwnProfileVisibility, ProfileVisibility, TeamProfile, UserProfilePage } from '../profiles.ts'

const gamesQuery = Type.Object({
  count: Type.Optional(withSchemaOptions(Pages.count(Limits.profileGames), { maximum: Limits.profileGames })),
  skip: Type.Optional(Pages.skip),
})

export const profileOperations = {
  getTeamProfile: operation({
    tag: 'Profiles',
    method: 'GET',
    path: '/api/profiles/teams/{id}',
    access: 'anonymous',
    summary: "A team's public page",
    description: '404 if it is hidden, except for members and admins. `count` and `skip` page the games.',
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
    description: '404 if it is hidden, except for the player and admins. `count` and `skip` page the games.',
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
    summary: 'Teams of a game whose page the caller cannot open',
    description: 'Ids of accepted teams. Names of all other teams can be links. Empty for an unknown game.',
    params: Type.Object({ id: Id }),
    response: Type.Array(Type.Integer({ format: 'int32' })),
    errors: [429, 500],
  }),
  getOwnVisibility: operation({
    tag: 'Profiles',
    method: 'GET',
    path: '/api/profiles/own',
    access: 'user',
    summary: "Public pages of the caller and the caller's teams",
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
    repeatable: true,
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
    repeatable: true,
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
