// Teams and divisions that identity providers decide (ADR 74). Teams and games call this file, which does not depend on them.
import type { Executor } from '@capstan/db/client'
import { signInRepository } from './repository.ts'

/** True if only sign-ins and admins add members to the team. */
export function isTeamOfProvider(executor: Executor, teamId: number): Promise<boolean> {
  return signInRepository(executor).isTeamOfProvider(teamId)
}

/** Returns the divisions that the identity providers sent for a user. */
export function listProviderDivisions(executor: Executor, userId: string): Promise<string[]> {
  return signInRepository(executor).listDivisions(userId)
}
