import type { Role } from '@capstan/contract/common'
import type { TokenGrant } from '@capstan/contract/token-access'

/** The person behind a request. Role and name are those of the store, on every call. */
export interface SessionUser {
  readonly id: string
  readonly userName: string
  readonly role: Role
  /** Moves on with each visit that is noted here; another process may have noted a later one. */
  lastVisitedAt: Date
  /** Absent: the request carries an API token. */
  readonly session?: { readonly tokenHash: string; readonly expiresAt: Date }
  /** What the person's API token grants; absent: the request carries a session. */
  readonly token?: TokenGrant & { readonly id: string; readonly name: string }
}

/** The person behind a session cookie. */
export type SignedInUser = SessionUser & Required<Pick<SessionUser, 'session'>>
