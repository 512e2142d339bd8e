import type { RegisterOutcome } from '@capstan/contract/accounts'
import type { ProblemCode } from '@capstan/contract/problems'
import type { AccountPolicy } from '@capstan/contract/settings'

/**
 * Returns true if addresses of this domain may register. `domainList` is comma-separated; an empty list allows all domains.
 * Rules: docs/contract/sessions-and-accounts.md#registration.
 */
export function isAllowedDomain(email: string, domainList: string): boolean {
  const domains = domainList
    .split(',')
    .map((domain) => domain.trim().toLowerCase())
    .filter(Boolean)
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return domains.length === 0 || domains.includes(domain)
}

/** Returns the step after the registration of an account. Rules: docs/contract/sessions-and-accounts.md#registration. */
export function getRegistrationOutcome(
  policy: Pick<Required<AccountPolicy>, 'activeOnRegister' | 'emailConfirmationRequired'>,
): RegisterOutcome {
  if (policy.activeOnRegister) return 'LoggedIn'
  return policy.emailConfirmationRequired ? 'EmailConfirmationRequired' : 'AdminConfirmationRequired'
}

export type LoginCandidate = Readonly<{
  role: string
  emailConfirmed: boolean
}>

/** Refuses a login for a reason that does not depend on the password. Call this before the password is checked. */
export function refuseLoginOfBannedUser(candidate: LoginCandidate | undefined): ProblemCode | undefined {
  return candidate?.role === 'Banned' ? 'login.banned' : undefined
}

/**
 * Checks the password and the state of the account. Returns the same code for an unknown name, a wrong password and an inactive
 * account.
 */
export function refuseLogin(candidate: LoginCandidate | undefined, passwordMatches: boolean): ProblemCode | undefined {
  return candidate?.emailConfirmed && passwordMatches ? undefined : 'login.failed'
}
