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
 * Returns the effect of an admin's change on the user's sessions. `end` ends the sessions. `recheck` makes open sockets check the
 * access again. A ban does not end the sessions, so that refused calls can report the ban. They end when the ban is lifted. Rules:
 * docs/contract/sessions-and-accounts.md#sessions.
 */
export function getSessionEffect(before: Standing, after: Standing): 'end' | 'recheck' | 'none' {
  const isUnbanned = before.role === 'Banned' && after.role !== 'Banned'
  const isDeactivated = before.emailConfirmed && !after.emailConfirmed
  if (isUnbanned || isDeactivated || before.email !== after.email) return 'end'
  return before.role === after.role ? 'none' : 'recheck'
}
