import type { Role } from '@capstan/contract/common'
import type { ProblemCode } from '@capstan/contract/problems'

/** Refuses the deletion of the admin's own account and of captains. Rules: docs/contract/admin.md#users. */
export function refuseUserDeletion(actorId: string, target: { id: string; isCaptain: boolean }): ProblemCode | undefined {
  if (actorId === target.id) return 'user.self'
  return target.isCaptain ? 'user.captain' : undefined
}

type Standing = Readonly<{
  role: Role
  email: string
  emailConfirmed: boolean
}>

/**
 * Decides whether an admin's change to an account ends the user's sessions. If the result is `recheck`, the sockets of the user
 * remain open but check the user's access again. Rules: docs/contract/sessions-and-accounts.md#sessions.
 */
export function sessionEffectOfUserChange(before: Standing, after: Standing): 'end' | 'recheck' | 'none' {
  const isUnbanned = before.role === 'Banned' && after.role !== 'Banned'
  const isDeactivated = before.emailConfirmed && !after.emailConfirmed
  if (isUnbanned || isDeactivated || before.email !== after.email) return 'end'
  return before.role === after.role ? 'none' : 'recheck'
}
