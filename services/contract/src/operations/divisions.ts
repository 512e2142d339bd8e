import { Type } from 'typebox'
import { Division, DivisionCreate, DivisionUpdate, JoinCheck } from '../divisions.ts'
import { Id } from '../kit.ts'
import { operation } from '../operation.ts'

/** Calls that only this platform has, for the divisions of a game and their rights. */
export const divisionOperations = {
  listDivisions: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/divisions',
    access: 'admin',
    summary: 'Divisions of a game with their rights',
    description: 'By id.',
    params: Type.Object({ id: Id }),
    response: Type.Array(Division),
    errors: [401, 403, 404, 429, 500],
  }),
  createDivision: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/divisions',
    access: 'admin',
    summary: 'Add a division',
    params: Type.Object({ id: Id }),
    body: DivisionCreate,
    response: Division,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  updateDivision: operation({
    tag: 'Edit',
    method: 'PUT',
    path: '/api/edit/games/{id}/divisions/{did}',
    access: 'admin',
    summary: 'Change a division',
    description: 'Absent and null fields remain unchanged. A new name does not move the teams.',
    params: Type.Object({ id: Id, did: Id }),
    body: DivisionUpdate,
    response: Division,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  deleteDivision: operation({
    tag: 'Edit',
    method: 'DELETE',
    path: '/api/edit/games/{id}/divisions/{did}',
    access: 'admin',
    summary: 'Delete a division',
    description: 'Its teams have no division afterwards.',
    params: Type.Object({ id: Id, did: Id }),
    repeatable: true,
    errors: [401, 403, 404, 429, 500],
  }),
  checkJoin: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/check',
    access: 'user',
    summary: 'Own teams in a game and divisions that can be joined',
    params: Type.Object({ id: Id }),
    response: JoinCheck,
    errors: [401, 403, 404, 429, 500],
  }),
} as const
