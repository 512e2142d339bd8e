import { Type } from 'typebox'
import { AdminGame, GameNotice } from '../games.ts'
import { Id, Pages, Uuid, withSchemaOptions } from '../kit.ts'
import { operation } from '../operation.ts'
import { TeamInfo } from '../teams.ts'

/** Calls that only this platform has, for organizers during an event. */
export const organizingOperations = {
  revealBoard: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/reveal',
    access: 'admin',
    summary: 'Reveal a frozen scoreboard',
    description: 'Ends the freeze for players. A revealed scoreboard remains unchanged. 400 if the scoreboard is not frozen.',
    params: Type.Object({ id: Id }),
    response: AdminGame,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  undoReveal: operation({
    tag: 'Edit',
    method: 'DELETE',
    path: '/api/edit/games/{id}/reveal',
    access: 'admin',
    summary: 'Undo the reveal of a scoreboard',
    description: 'The scoreboard is frozen again as of the same instant.',
    params: Type.Object({ id: Id }),
    response: AdminGame,
    errors: [401, 403, 404, 429, 500],
  }),
  listGeneratedNotices: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/notices/generated',
    access: 'admin',
    summary: 'Notices about bloods, hints, and new challenges',
    description: 'Newest first, as players see them.',
    params: Type.Object({ id: Id }),
    query: Type.Object({ count: Type.Optional(Pages.count()), skip: Type.Optional(Pages.skip) }),
    response: Type.Array(GameNotice),
    errors: [400, 401, 403, 404, 429, 500],
  }),
  withdrawNotice: operation({
    tag: 'Edit',
    method: 'DELETE',
    path: '/api/edit/games/{id}/notices/generated/{nid}',
    access: 'admin',
    summary: 'Withdraw a generated notice',
    description: 'The notice is deleted. Solves and points stay. 404 for a notice that an admin wrote.',
    params: Type.Object({ id: Id, nid: Id }),
    errors: [401, 403, 404, 429, 500],
  }),
  putTeamMember: operation({
    tag: 'Admin',
    method: 'PUT',
    path: '/api/admin/teams/{id}/members/{userId}',
    access: 'admin',
    summary: 'Add a member to a team, or move one from another team',
    description: 'Works for locked teams too. Members of the team remain unchanged. The user does not join any game.',
    params: Type.Object({ id: Id, userId: Uuid }),
    query: Type.Object({
      from: Type.Optional(withSchemaOptions(Id, { description: 'Team that the user leaves at the same time.' })),
    }),
    response: TeamInfo,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  removeTeamMember: operation({
    tag: 'Admin',
    method: 'DELETE',
    path: '/api/admin/teams/{id}/members/{userId}',
    access: 'admin',
    summary: 'Remove a member from a team and its games',
    description: '400 for the captain, and while the team is locked.',
    params: Type.Object({ id: Id, userId: Uuid }),
    response: TeamInfo,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  setTeamCaptain: operation({
    tag: 'Admin',
    method: 'PUT',
    path: '/api/admin/teams/{id}/captain/{userId}',
    access: 'admin',
    summary: 'Make a member the captain',
    description: 'Works for locked teams too. 400 for a user who is not a member or already leads the maximum number of teams.',
    params: Type.Object({ id: Id, userId: Uuid }),
    response: TeamInfo,
    errors: [400, 401, 403, 404, 429, 500],
  }),
}
