import type { AdminUser, AdminUserUpdate } from '@capstan/contract/admin'
import { operations } from '@capstan/contract/operations'
import { call } from '../../lib/http.ts'
import { refreshUnder } from '../../lib/server-state.ts'

/** Changes a user and reads the lists again. */
export async function changeUser(user: AdminUser, body: AdminUserUpdate): Promise<void> {
  await call(operations.updateUser, { params: { id: user.id }, body })
  await rereadUsers()
}

/** The user as stored now; as known if there is none any more. */
export async function readUser(user: AdminUser): Promise<AdminUser> {
  const { data } = await call(operations.searchUsers, { query: { hint: user.id } })
  return data.find(({ id }) => id === user.id) ?? user
}

export function rereadUsers(): Promise<unknown> {
  return refreshUnder('/api/admin/users')
}

/** False for an account that never made a call: the server then knows no address (contract: default `0.0.0.0`). */
export function hasBeenSeen(user: AdminUser): boolean {
  return user.ip !== '0.0.0.0'
}
