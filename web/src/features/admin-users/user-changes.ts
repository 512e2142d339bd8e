import type { AdminUser, AdminUserUpdate } from '@capstan/contract/admin'
import { operations } from '@capstan/contract/operations'
import { call } from '../../lib/http.ts'
import { refreshCallsWithPrefix } from '../../lib/server-state.ts'

export async function changeUser(user: AdminUser, body: AdminUserUpdate): Promise<void> {
  await call(operations.updateUser, { params: { id: user.id }, body })
  await refreshUsers()
}

/** Reads the current state of the user. If the account was deleted, returns `user` unchanged. */
export async function readUser(user: AdminUser): Promise<AdminUser> {
  const { data } = await call(operations.searchUsers, { query: { hint: user.id } })
  return data.find(({ id }) => id === user.id) ?? user
}

export function refreshUsers(): Promise<unknown> {
  return refreshCallsWithPrefix('/api/admin/users')
}

/** False for an account that has made no API call yet. By contract, the IP address of such an account is `0.0.0.0`. */
export function hasMadeApiCall(user: AdminUser): boolean {
  return user.ip !== '0.0.0.0'
}
