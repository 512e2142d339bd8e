import { Type } from 'typebox'
import { Uuid } from '../kit.ts'
import { operation } from '../operation.ts'
import { ApiToken, ApiTokenCreate, ApiTokenCreated } from '../tokens.ts'

export const tokenOperations = {
  listTokens: operation({
    tag: 'Tokens',
    method: 'GET',
    path: '/api/tokens',
    access: 'admin',
    summary: 'API tokens',
    description: 'Newest first, including revoked and expired ones.',
    response: Type.Array(ApiToken),
    errors: [401, 403, 429, 500],
  }),
  createToken: operation({
    tag: 'Tokens',
    method: 'POST',
    path: '/api/tokens',
    access: 'admin',
    summary: 'Create an API token',
    description: 'Only this answer contains the token.',
    body: ApiTokenCreate,
    response: ApiTokenCreated,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  deleteToken: operation({
    tag: 'Tokens',
    method: 'DELETE',
    path: '/api/tokens/{id}',
    access: 'admin',
    summary: 'Revoke or remove an API token',
    params: Type.Object({ id: Uuid }),
    query: Type.Object({
      delete: Type.Optional(Type.Boolean({ default: false, description: 'Remove it permanently.' })),
    }),
    errors: [400, 401, 403, 404, 429, 500],
  }),
  restoreToken: operation({
    tag: 'Tokens',
    method: 'POST',
    path: '/api/tokens/{id}/restore',
    access: 'admin',
    summary: 'Make a revoked API token valid again',
    params: Type.Object({ id: Uuid }),
    errors: [401, 403, 404, 429, 500],
  }),
} as const
