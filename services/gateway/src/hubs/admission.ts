import { hubs } from '@capstan/contract/events'
import type { SessionQuestion } from '@capstan/contract/gateway-backend'
import type { LanguageCode } from '@capstan/contract/languages'
import type { ProblemCode } from '@capstan/contract/problems'
import { refuseRole } from '@capstan/contract/roles'
import type { Backend } from '../backend.ts'
import type { HubName } from '../http/address.ts'

/** What a client asks for, kept as long as it is connected: its right may have to be looked at again. */
export interface HubRequest {
  readonly hub: HubName
  /** Undefined: missing or not the number of a game. */
  readonly gameId: number | undefined
  /** Undefined: it brought neither cookie nor token. */
  readonly session: SessionQuestion | undefined
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

/** Asks the api whether the client may listen. Rejects where the api cannot answer. */
export async function askForAdmission(
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
