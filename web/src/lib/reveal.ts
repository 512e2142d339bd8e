import { operations, ownOperations } from '@capstan/contract/operations'
import { addressOfBoard } from './game.ts'
import { call } from './http.ts'
import { refreshCall, refreshCallsWithPrefix, setCallData } from './server-state.ts'

/** Reveals the frozen scoreboard of a game to all players, or undoes an earlier reveal. */
export async function setBoardRevealed(gameId: number, isRevealed: boolean): Promise<void> {
  const params = { id: gameId }
  const changed = await call(isRevealed ? ownOperations.revealBoard : ownOperations.undoReveal, { params })
  await setCallData([operations.adminGetGame, { params }], changed)
  await Promise.all([refreshCall(operations.getGame, { params }), refreshCallsWithPrefix(addressOfBoard(gameId))])
}
