import { Type } from 'typebox'
import { Uuid } from '../kit.ts'
import { operation } from '../operation.ts'
import { AccountSession } from '../sessions.ts'

export const sessionOperations = {
  listOwnSessions: operation({
    tag: 'Account',
    method: 'GET',
    path: '/api/account/sessions',
    access: 'user',
    summary: 'Sessions of the own account, last used first',
    response: Type.Array(AccountSession),
    errors: [401, 403, 429, 500],
  }),
  endOtherSessions: operation({
    tag: 'Account',
    method: 'DELETE',
    path: '/api/account/sessions',
    access: 'user',
    summary: 'End all other sessions of the own account',
    errors: [401, 403, 429, 500],
  }),
  endOwnSession: operation({
    tag: 'Account',
    method: 'DELETE',
    path: '/api/account/sessions/{id}',
    access: 'user',
    summary: 'End a session of the own account',
    description: 'The session of this call can end too.',
    params: Type.Object({ id: Uuid }),
    repeatable: true,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  endUserSessions: operation({
    tag: 'Admin',
    method: 'DELETE',
    path: '/api/admin/users/{id}/sessions',
    access: 'admin',
    summary: 'End all sessions of a user',
    description: 'The session of this call continues.',
    params: Type.Object({ id: Uuid }),
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
