import { ownOperations } from '@capstan/contract/operations'
import { call } from '../../lib/http.ts'
import { refreshCallsWithPrefix } from '../../lib/server-state.ts'

type Entry = Readonly<{
  id: number
}>

/** Reads every list of awards of a game again. */
export function refreshAwards(gameId: number): Promise<unknown> {
  return refreshCallsWithPrefix(`/api/edit/games/${gameId}/awards`)
}

/** Reads every list of corrections of a game again. */
export function refreshCorrections(gameId: number): Promise<unknown> {
  return refreshCallsWithPrefix(`/api/edit/games/${gameId}/corrections`)
}

export async function revokeAward(gameId: number, { id }: Entry): Promise<void> {
  await call(ownOperations.revokeAward, { params: { id: gameId, aid: id } })
  await refreshAwards(gameId)
}

export async function revokeCorrection(gameId: number, { id }: Entry): Promise<void> {
  await call(ownOperations.revokeSolveCorrection, { params: { id: gameId, aid: id } })
  await refreshCorrections(gameId)
}
