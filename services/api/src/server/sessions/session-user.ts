import type { Role } from '@capstan/contract/common'
import type { TokenGrant } from '@capstan/contract/token-access'

/** User of a request. Role and name are up to date in every call. */
export interface SessionUser {
  readonly id: string
  readonly userName: string
  /** Role that determines access to this call. It is `User` while `isFactorMissing` is true. */
  readonly role: Role
  /** True if the platform requires a second factor for the user's role, but the account has no second factor. */
  readonly isFactorMissing?: boolean
  /** Time of the user's last visit, as far as this process knows. Other processes may have stored later visits. */
  lastVisitedAt: Date
  /** Session of the request. Absent if the request carries an API token. */
  readonly session?: Readonly<{ tokenHash: string; expiresAt: Date }>
  /** Grant of the API token. Absent if the request carries a session. */
  readonly token?: TokenGrant & Readonly<{ id: string; name: string }>
}

export type SignedInUser = SessionUser & Required<Pick<SessionUser, 'session'>>
