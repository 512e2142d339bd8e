import type { Access } from './operation.ts'

/** In order: a check passes for the named role and all after it. */
export const roles = ['Banned', 'User', 'Monitor', 'Admin'] as const
type Role = (typeof roles)[number]

/**
 * Whether a check for `needed` passes: it does for that role and all above it. A visitor has no role.
 * Rules: docs/contract/sessions-and-accounts.md#roles.
 */
export const hasRole = (role: Role | undefined, needed: Role): boolean =>
  role !== undefined && roles.indexOf(role) >= roles.indexOf(needed)

/** The least role of an access; ownership (captain, participant) is checked by the feature's policy. */
const leastRole: Record<Exclude<Access, 'anonymous'>, Role> = {
  user: 'User',
  captain: 'User',
  participant: 'User',
  monitor: 'Monitor',
  admin: 'Admin',
}

/** @returns the problem code of a refused role, or undefined. Rules: docs/contract/sessions-and-accounts.md#roles. */
export const refuseRole = (
  access: Access,
  role: Role | undefined,
): 'session.required' | 'session.banned' | 'role.insufficient' | undefined => {
  if (access === 'anonymous') return undefined
  if (role === undefined) return 'session.required'
  if (role === 'Banned') return 'session.banned'
  return hasRole(role, leastRole[access]) ? undefined : 'role.insufficient'
}
