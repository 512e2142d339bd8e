import { Type } from 'typebox'
import { GameNotice } from '../games.ts'
import { Id, Pages } from '../kit.ts'
import { operation } from '../operation.ts'

/** Own calls for the day of an organizer. */
export const organizingOperations = {
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
}
