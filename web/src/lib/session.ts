import type { UserProfile } from '@capstan/contract/accounts'
import type { Role } from '@capstan/contract/common'
import { operations, ownOperations } from '@capstan/contract/operations'
import useSWR from 'swr'
import { clearUserData } from './forget.ts'
import { ApiError, addressOfCall, call } from './http.ts'
import { type CallFailure, refreshCallsWithPrefix, resetCallCache, setCallData } from './server-state.ts'

export type Session = Readonly<{
  /**
   * Session state. `unknown` means that the server has not responded yet. `banned` means that the server refuses this account.
   */
  state: 'unknown' | 'visitor' | 'user' | 'banned'
  profile: UserProfile | undefined
  role: Role | undefined
  /** True if the server no longer accepts the session of `profile`, although the user did not log out in this browser. */
  hasEnded: boolean
  error: CallFailure | undefined
  refresh: () => Promise<unknown>
}>

/**
 * Reads the profile by a call that also succeeds for visitors without a session. A refused call would log an error in the browser
 * on every page. If the session has expired, the profile is retained.
 */
async function readProfile(): Promise<UserProfile | 'banned'> {
  try {
    const { profile } = await call(ownOperations.getOwnSession)
    if (profile) return profile
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 403) return 'banned'
    throw error
  }
  throw new ApiError({ title: '', status: 401, httpStatus: 401, code: 'session.required' })
}

/** Returns the signed-in user. All components share it through the cache. */
export function useSession(): Session {
  const { data, error, mutate } = useSWR<UserProfile | 'banned', CallFailure>(
    addressOfCall(operations.getOwnProfile),
    readProfile,
  )
  const profile = data === 'banned' ? undefined : data
  const isRefused = error instanceof ApiError && error.httpStatus === 401
  return {
    state: data === 'banned' ? 'banned' : data ? 'user' : isRefused ? 'visitor' : 'unknown',
    profile,
    role: data === 'banned' ? 'Banned' : profile?.role,
    hasEnded: isRefused && profile !== undefined,
    error: isRefused ? undefined : error,
    refresh: () => mutate(),
  }
}

/** Clears the data that only this user may see: cached responses, input and terminals. */
function forgetUser(): Promise<unknown> {
  clearUserData()
  return resetCallCache()
}

/** Reads everything again after another user has logged in. */
export function beginSession(): Promise<unknown> {
  return resetCallCache()
}

/** Continues with the unchanged page after the same user has logged in again. */
export async function resumeSession(known: UserProfile): Promise<void> {
  const profile = await call(operations.getOwnProfile)
  if (profile.userId !== known.userId) return void (await forgetUser())
  await setCallData([operations.getOwnProfile], profile)
  await refreshCallsWithPrefix('/api')
}

export function continueAsVisitor(): Promise<unknown> {
  return forgetUser()
}

/** Logs out on the platform, but not at the identity provider. A server of the previous version supports only this logout. */
async function logOutHere(error: unknown): Promise<{ url: null }> {
  if (!(error instanceof ApiError && error.httpStatus === 404)) throw error
  await call(operations.logOut)
  return { url: null }
}

/**
 * Logs out, and clears the data that only this user may see.
 * @returns the address at which the identity provider also ends its own session, or null if there is no such address
 */
export async function logOut(): Promise<string | null> {
  const { url } = await call(ownOperations.logOutOfProvider).catch(logOutHere)
  await forgetUser()
  return url
}
