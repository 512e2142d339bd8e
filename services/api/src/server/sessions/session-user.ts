import type { Role } from '@capstan/contract/common'
import type { TokenGrant } from '@capstan/contract/token-access'

/** User of a request. Role and name are up to date in every call. */
export interface SessionUser {
  readonly id: string
  readonly userName: string
  /** Role that counts in this call. While `isFactorMissing`, it is `User`. */
  readonly role: Role
  /** True if the platform requires a second factor for the role, and the account has none. */
  readonly isFactorMissing?: boolean
  /** Time of the last visit that this process has recorded. Other processes may have recorded later visits. */
  lastVisitedAt: Date
  /** Session of the request. Absent if the request carries an API token. */
  readonly session?: { readonly tokenHash: string; readonly expiresAt: Date }
  /** Grant of the API token. Absent if the request carries a session. */
  readonly token?: TokenGrant & { readonly id: string; readonly name: string }
}

export type SignedInUser = SessionUser & Required<Pick<SessionUser, 'session'>>
