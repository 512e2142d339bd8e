// Teams and divisions that identity providers decide (ADR 74). Teams and games ask here, so this file knows neither.
import type { Executor } from '@capstan/db/client'
import { signInRepository } from './repository.ts'

/** True if only sign-ins and admins add members to the team. */
export function isTeamOfProvider(executor: Executor, teamId: number): Promise<boolean> {
  return signInRepository(executor).isTeamOfProvider(teamId)
}

/** Returns the divisions that the identity providers of a user have named. */
export function listProviderDivisions(executor: Executor, userId: string): Promise<string[]> {
  return signInRepository(executor).listDivisions(userId)
}
