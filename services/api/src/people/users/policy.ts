import type { Role } from '@capstan/contract/common'
import type { ProblemCode } from '@capstan/contract/problems'

/** Whether an admin may delete a user. Rules: docs/contract/admin.md#users. */
export function refuseDeletion(actorId: string, target: { id: string; isCaptain: boolean }): ProblemCode | undefined {
  if (actorId === target.id) return 'user.self'
  return target.isCaptain ? 'user.captain' : undefined
}

type Standing = Readonly<{
  role: Role
  email: string
  emailConfirmed: boolean
}>

/**
 * What a change of a user does to its sessions. `end`: they are over. `recheck`: they stay, and open sockets ask again what
 * the user may do. A ban keeps them so that the banned are told why they are refused; nothing but log-out works with them,
 * and they are over when the ban is lifted. Rules: docs/contract/sessions-and-accounts.md#sessions.
 */
export function sessionEffect(before: Standing, after: Standing): 'end' | 'recheck' | 'none' {
  const isUnbanned = before.role === 'Banned' && after.role !== 'Banned'
  const isShutOut = before.emailConfirmed && !after.emailConfirmed
  if (isUnbanned || isShutOut || before.email !== after.email) return 'end'
  return before.role === after.role ? 'none' : 'recheck'
}
