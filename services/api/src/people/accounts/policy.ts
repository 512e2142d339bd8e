import type { RegisterOutcome } from '@capstan/contract/accounts'
import type { ProblemCode } from '@capstan/contract/problems'
import type { AccountPolicy } from '@capstan/contract/settings'

/**
 * Whether addresses of this domain may be used. `domainList`: comma-separated, blanks trimmed, empty = all.
 * Rules: docs/contract/sessions-and-accounts.md#registration.
 */
export const isAllowedDomain = (email: string, domainList: string): boolean => {
  const domains = domainList
    .split(',')
    .map((domain) => domain.trim().toLowerCase())
    .filter(Boolean)
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return domains.length === 0 || domains.includes(domain)
}

/** What a new account must wait for. Rules: docs/contract/sessions-and-accounts.md#registration. */
export const outcomeOfRegistration = (
  policy: Pick<Required<AccountPolicy>, 'activeOnRegister' | 'emailConfirmationRequired'>,
): RegisterOutcome => {
  if (policy.activeOnRegister) return 'LoggedIn'
  return policy.emailConfirmationRequired ? 'EmailConfirmationRequired' : 'AdminConfirmationRequired'
}

export interface LoginCandidate {
  readonly role: string
  readonly emailConfirmed: boolean
}

/** Refusals that do not depend on the password; they come before it is checked. */
export const refuseLoginBeforePassword = (candidate: LoginCandidate | undefined): ProblemCode | undefined =>
  candidate?.role === 'Banned' ? 'login.banned' : undefined

/** One text for an unknown name, a wrong password and an account that is not activated. */
export const refuseLogin = (candidate: LoginCandidate | undefined, passwordMatches: boolean): ProblemCode | undefined =>
  candidate?.emailConfirmed && passwordMatches ? undefined : 'login.failed'
