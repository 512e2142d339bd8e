import type { Role } from '@capstan/contract/common'

/** The person behind a request. Role and name are read from the store on every call (behaviour §2). */
export interface SessionUser {
  readonly id: string
  readonly userName: string
  readonly role: Role
  readonly lastVisitedAt: Date
  readonly session: { readonly tokenHash: string; readonly expiresAt: Date }
}
