import type { Role } from '@capstan/contract/common'

/** The person behind a request. Role and name are those of the store, on every call. */
export interface SessionUser {
  readonly id: string
  readonly userName: string
  readonly role: Role
  /** Moves on with each visit that is noted here; another process may have noted a later one. */
  lastVisitedAt: Date
  readonly session: { readonly tokenHash: string; readonly expiresAt: Date }
}
