import { ownOperations } from '@capstan/contract/operations'
import type { ApiToken } from '@capstan/contract/tokens'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'

export async function setTokenRevoked({ id }: ApiToken, isRevoked: boolean): Promise<void> {
  await call(isRevoked ? ownOperations.deleteToken : ownOperations.restoreToken, { params: { id } })
  await refreshCall(ownOperations.listTokens)
}

export async function removeToken({ id }: ApiToken): Promise<void> {
  await call(ownOperations.deleteToken, { params: { id }, query: { delete: true } })
  await refreshCall(ownOperations.listTokens)
}

/** Returns the state of a token by the rule of the server. A token that is both revoked and expired counts as revoked. */
export function stateOfToken({ isRevoked, expiresAt }: ApiToken, now: number): 'valid' | 'revoked' | 'expired' {
  if (isRevoked) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid'
}
