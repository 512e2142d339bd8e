import type { UserProfile } from '@capstan/contract/accounts'
import type { Role } from '@capstan/contract/common'
import { operations, ownOperations } from '@capstan/contract/operations'
import useSWR from 'swr'
import { forgetInput } from './forget.ts'
import { ApiError, addressOf, call } from './http.ts'
import { type CallFailure, forgetAll, refreshUnder, setCallData } from './server-state.ts'

export interface Session {
  /** `unknown`: not answered yet. `banned`: the server refuses this account. */
  readonly state: 'unknown' | 'visitor' | 'user' | 'banned'
  readonly profile: UserProfile | undefined
  readonly role: Role | undefined
  /** The server does not know the session of `profile` any more, though nobody logged out here. */
  readonly hasEnded: boolean
  readonly error: CallFailure | undefined
  readonly refresh: () => Promise<unknown>
}

/**
 * Fails with 401 for a visitor, which is no failure of the call: browsers would report it on every page. The profile of a
 * session that has ended is kept then.
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

/** Who is signed in. Shared by every component through the cache. */
export function useSession(): Session {
  const { data, error, mutate } = useSWR<UserProfile | 'banned', CallFailure>(addressOf(operations.getOwnProfile), readProfile)
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

/** Forgets what only this user may see: answers, input, terminals. */
const forgetUser = (): Promise<unknown> => {
  forgetInput()
  return forgetAll()
}

/** After logging in: reads everything again as the new user. */
export const sessionStarted = (): Promise<unknown> => forgetAll()

/** After logging in where a session had ended: the same user goes on with the page as it is. */
export async function sessionResumed(known: UserProfile): Promise<void> {
  const profile = await call(operations.getOwnProfile)
  if (profile.userId !== known.userId) return void (await forgetUser())
  await setCallData([operations.getOwnProfile], profile)
  await refreshUnder('/api')
}

/** Goes on as a visitor after the session has ended. */
export const sessionLeft = (): Promise<unknown> => forgetUser()

/** Ends the session and forgets what only this user may see. */
export async function logOut(): Promise<void> {
  await call(operations.logOut)
  await forgetUser()
}
