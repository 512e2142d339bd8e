import type { Access } from './operation.ts'
import type { SecondFactorPolicy } from './vocabulary.ts'

/** Roles, from the fewest to the most rights. A call that needs a role is allowed for this role and for all later roles. */
export const roles = ['Banned', 'User', 'Monitor', 'Admin'] as const
type Role = (typeof roles)[number]

/** True if the role is `needed` or has more rights. A visitor has no role. See docs/contract/sessions-and-accounts.md#roles. */
export function hasRole(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(needed)
}

/** Minimum role for each kind of access. Whether the caller is a captain or participant is checked separately by each feature. */
const minRole: Record<Exclude<Access, 'anonymous'>, Role> = {
  user: 'User',
  captain: 'User',
  participant: 'User',
  monitor: 'Monitor',
  admin: 'Admin',
}

/**
 * Checks whether a role suffices for a call.
 * @returns the problem code if the role is refused, or undefined. See docs/contract/sessions-and-accounts.md#roles.
 */
export function refuseRole(
  access: Access,
  role: Role | undefined,
): 'session.required' | 'session.banned' | 'role.insufficient' | undefined {
  if (access === 'anonymous') return undefined
  if (role === undefined) return 'session.required'
  if (role === 'Banned') return 'session.banned'
  return hasRole(role, minRole[access]) ? undefined : 'role.insufficient'
}

/** True if the policy requires users of this role to have a second factor. */
export function requiresSecondFactor(policy: SecondFactorPolicy, role: Role): boolean {
  return policy !== 'Optional' && hasRole(role, policy === 'Admins' ? 'Admin' : 'Monitor')
}
