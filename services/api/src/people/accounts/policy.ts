import type { RegisterOutcome } from '@capstan/contract/accounts'
import type { ProblemCode } from '@capstan/contract/problems'
import type { AccountPolicy } from '@capstan/contract/settings'

/**
 * Whether addresses of this domain may be used. `domainList`: comma-separated, blanks trimmed, empty = all.
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

/** What a new account must wait for. Rules: docs/contract/sessions-and-accounts.md#registration. */
export function outcomeOfRegistration(
  policy: Pick<Required<AccountPolicy>, 'activeOnRegister' | 'emailConfirmationRequired'>,
): RegisterOutcome {
  if (policy.activeOnRegister) return 'LoggedIn'
  return policy.emailConfirmationRequired ? 'EmailConfirmationRequired' : 'AdminConfirmationRequired'
}

export type LoginCandidate = Readonly<{
  role: string
  emailConfirmed: boolean
}>

/** Refusals that do not depend on the password; they come before it is checked. */
export function refuseLoginBeforePassword(candidate: LoginCandidate | undefined): ProblemCode | undefined {
  return candidate?.role === 'Banned' ? 'login.banned' : undefined
}

/** One text for an unknown name, a wrong password and an account that is not activated. */
export function refuseLogin(candidate: LoginCandidate | undefined, passwordMatches: boolean): ProblemCode | undefined {
  return candidate?.emailConfirmed && passwordMatches ? undefined : 'login.failed'
}
