import type { Role } from '@capstan/contract/common'
import { hubs } from '@capstan/contract/events'
import type { LanguageCode } from '@capstan/contract/languages'
import type { ProblemCode } from '@capstan/contract/problems'
import type { Backend } from '../backend.ts'
import type { HubName } from '../http/address.ts'

/** Ordered as in the contract: a check passes for the named role and all above it. */
const rankOf: Record<Role, number> = { Banned: 0, User: 1, Monitor: 2, Admin: 3 }
const leastRole: Record<(typeof hubs)[HubName]['access'], Role | undefined> = {
  anonymous: undefined,
  monitor: 'Monitor',
  admin: 'Admin',
}

/** What a client asks for, kept as long as it is connected: its right may have to be looked at again. */
export interface HubRequest {
  readonly hub: HubName
  /** Undefined: missing or not the number of a game. */
  readonly gameId: number | undefined
  readonly cookie: string | undefined
  /** In which the client is told why it may not listen. */
  readonly language: LanguageCode
}

export type Admission =
  /** `userId` is undefined where the hub is open to everybody: then nobody was asked for. */
  { readonly isAllowed: true; readonly userId: string | undefined } | { readonly isAllowed: false; readonly code: ProblemCode }

/** The number in the query `game`; undefined where the hub has no games or the text is none. */
export function readGameId(hub: HubName, text: string | undefined): number | undefined {
  if (!hubs[hub].needsGame || text === undefined || !/^\d{1,10}$/.test(text)) return undefined
  const id = Number(text)
  return id <= 0x7fff_ffff ? id : undefined
}

/** Asks the api whether the client may listen (behaviour §22). Rejects where the api cannot answer. */
export async function askForAdmission(
  { hub, gameId, cookie }: Omit<HubRequest, 'language'>,
  backend: Pick<Backend, 'session' | 'gameExists'>,
): Promise<Admission> {
  const { access, needsGame } = hubs[hub]
  const role = leastRole[access]
  let userId: string | undefined
  if (role !== undefined) {
    const identity = cookie === undefined ? null : await backend.session(cookie)
    if (identity === null) return { isAllowed: false, code: 'session.required' }
    if (rankOf[identity.role] < rankOf[role])
      return { isAllowed: false, code: identity.role === 'Banned' ? 'session.banned' : 'role.insufficient' }
    userId = identity.userId
  }
  if (needsGame && (gameId === undefined || !(await backend.gameExists(gameId))))
    return { isAllowed: false, code: 'game.unknown' }
  return { isAllowed: true, userId }
}
