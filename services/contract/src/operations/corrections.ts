import { Type } from 'typebox'
import { SolveCorrection, SolveCorrectionCreate, SolveCorrectionPage } from '../corrections.ts'
import { Id, Pages } from '../kit.ts'
import { operation } from '../operation.ts'

/** Calls that grant solves and take them back. */
export const correctionOperations = {
  listSolveCorrections: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/corrections',
    access: 'admin',
    summary: 'Solves that organizers granted or took back',
    description: 'Newest first, with revoked corrections.',
    params: Type.Object({ id: Id }),
    query: Type.Object({ count: Type.Optional(Pages.count()), skip: Type.Optional(Pages.skip), teamId: Type.Optional(Id) }),
    response: SolveCorrectionPage,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  correctSolve: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/corrections',
    access: 'admin',
    summary: 'Grant a solve to a team, or take its solve back',
    description:
      'A granted solve counts like any other at its time. A solve that is taken back no longer counts, and the team may submit again. ' +
      'Creates no notices or events.',
    params: Type.Object({ id: Id }),
    body: SolveCorrectionCreate,
    response: SolveCorrection,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  revokeSolveCorrection: operation({
    tag: 'Edit',
    method: 'DELETE',
    path: '/api/edit/games/{id}/corrections/{aid}',
    access: 'admin',
    summary: 'Revoke a correction of a solve',
    description: 'Restores the solve from the submissions of the team. The correction stays in the list.',
    params: Type.Object({ id: Id, aid: Id }),
    response: SolveCorrection,
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
