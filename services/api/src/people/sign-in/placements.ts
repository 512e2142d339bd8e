// Teams and divisions that identity providers assign to users (ADR 74). The features for teams and games call this file, so this
// file must not call these features.
import type { Executor } from '@capstan/db/client'
import { createSignInRepository } from './repository.ts'

/** Returns the teams that belong to a provider. Only sign-ins and admins add members to such a team. */
export function findTeamsOfProviders(executor: Executor, teamIds: readonly number[]): Promise<ReadonlySet<number>> {
  return createSignInRepository(executor).findTeamsOfProviders(teamIds)
}

/** Returns the divisions that the identity providers sent for a user. */
export function listProviderDivisions(executor: Executor, userId: string): Promise<string[]> {
  return createSignInRepository(executor).listDivisions(userId)
}
