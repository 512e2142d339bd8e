import { operations, ownOperations } from '@capstan/contract/operations'
import { boardAddress } from './game.ts'
import { call } from './http.ts'
import { refresh, refreshUnder, setCallData } from './server-state.ts'

/** Reveals the frozen scoreboard of a game to all players, or undoes the reveal. */
export async function setRevealed(gameId: number, isRevealed: boolean): Promise<void> {
  const params = { id: gameId }
  const changed = await call(isRevealed ? ownOperations.revealBoard : ownOperations.undoReveal, { params })
  await setCallData([operations.adminGetGame, { params }], changed)
  await Promise.all([refresh(operations.getGame, { params }), refreshUnder(boardAddress(gameId))])
}
