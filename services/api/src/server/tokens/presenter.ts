import type { ApiToken } from '@capstan/contract/tokens'
import type { NamedToken } from './repository.ts'

export function presentToken(token: NamedToken): ApiToken {
  return {
    id: token.id,
    name: token.name,
    creatorId: token.creatorId,
    creator: token.creator,
    createdAt: token.createdAt.getTime(),
    expiresAt: token.expiresAt?.getTime() ?? null,
    lastUsedAt: token.lastUsedAt?.getTime() ?? null,
    isRevoked: token.isRevoked,
    scope: token.scope,
    gameId: token.gameId,
    gameTitle: token.gameTitle,
  }
}
