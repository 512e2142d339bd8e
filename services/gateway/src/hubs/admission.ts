import { hubs } from '@capstan/contract/events'
import type { SessionQuestion } from '@capstan/contract/gateway-backend'
import type { LanguageCode } from '@capstan/contract/languages'
import type { ProblemCode } from '@capstan/contract/problems'
import { refuseRole } from '@capstan/contract/roles'
import type { Backend } from '../backend.ts'
import type { HubName } from '../http/address.ts'

/**
 * Request with which a client connected to a hub. The gateway stores the request while the client is connected, because
 * it may check the client's permission again.
 */
export type HubRequest = Readonly<{
  hub: HubName
  /** Number of the game. Undefined if it is missing or invalid. */
  gameId: number | undefined
  /** Session of the client. Undefined if the client sent neither cookie nor token. */
  session: SessionQuestion | undefined
  /** Language of the error message if the client is refused. */
  language: LanguageCode
}>

export type Admission =
  /** `userId` is undefined if the hub is public, because the gateway does not look up the users of public hubs. */
  Readonly<{ isAllowed: true; userId: string | undefined }> | Readonly<{ isAllowed: false; code: ProblemCode }>

/**
 * Returns the number in the query `game`.
 * @returns undefined if the hub has no games or the number is invalid
 */
export function parseGameId(hub: HubName, text: string | undefined): number | undefined {
  if (!hubs[hub].needsGame || text === undefined || !/^\d{1,10}$/.test(text)) return undefined
  const id = Number(text)
  return id <= 0x7fff_ffff ? id : undefined
}

/** Asks the api whether the client may connect to the hub. Rejects if the api does not respond. */
export async function requestAdmission(
  { hub, gameId, session }: Omit<HubRequest, 'language'>,
  backend: Pick<Backend, 'session' | 'gameExists'>,
): Promise<Admission> {
  const { access, needsGame } = hubs[hub]
  let userId: string | undefined
  if (access !== 'anonymous') {
    const identity = session === undefined ? null : await backend.session(session)
    const refusal = refuseRole(access, identity?.role)
    if (refusal) return { isAllowed: false, code: refusal }
    if (identity?.gameId !== undefined && identity.gameId !== gameId) return { isAllowed: false, code: 'token.game' }
    userId = identity?.userId
  }
  if (needsGame && (gameId === undefined || !(await backend.gameExists(gameId))))
    return { isAllowed: false, code: 'game.unknown' }
  return { isAllowed: true, userId }
}
