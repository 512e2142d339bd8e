import { Type } from 'typebox'
import { Award, AwardCreate, AwardPage, TeamAward } from '../awards.ts'
import { Id, Pages } from '../kit.ts'
import { operation } from '../operation.ts'

/** Calls for awards: points that an organizer gives to a team or takes from a team. */
export const awardOperations = {
  listAwards: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/awards',
    access: 'admin',
    summary: 'Points that organizers gave or took',
    description: 'Newest first, with revoked ones.',
    params: Type.Object({ id: Id }),
    query: Type.Object({ count: Type.Optional(Pages.count()), skip: Type.Optional(Pages.skip), teamId: Type.Optional(Id) }),
    response: AwardPage,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  createAward: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/awards',
    access: 'admin',
    summary: 'Give points to a team, or take points from it',
    description: 'The points count at once and never decide between equal scores. 404 for a team that is not in the game.',
    params: Type.Object({ id: Id }),
    body: AwardCreate,
    response: Award,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  revokeAward: operation({
    tag: 'Edit',
    method: 'DELETE',
    path: '/api/edit/games/{id}/awards/{aid}',
    access: 'admin',
    summary: 'Revoke an award',
    description: 'Its points no longer count. The award stays in the list. 400 for a revoked award.',
    params: Type.Object({ id: Id, aid: Id }),
    response: Award,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  listTeamAwards: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/awards',
    access: 'user',
    summary: "Awards of the caller's team",
    description: 'Oldest first, without revoked ones. Empty for a caller without a team in the game.',
    params: Type.Object({ id: Id }),
    response: Type.Array(TeamAward),
    errors: [401, 403, 404, 429, 500],
  }),
} as const
