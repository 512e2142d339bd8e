import type { LeadingBoard } from '@capstan/contract/board-parts'
import { boardVersionHeader } from '@capstan/contract/board-version'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { ApiError, call, callWithHeaders } from './http.ts'
import { setCallData } from './server-state.ts'

/** Version of each board. It is `since` in the next request for changes. */
const versions = new WeakMap<Scoreboard, string>()

function withVersion(board: Scoreboard, version: string | null): Scoreboard {
  if (version === null) versions.delete(board)
  else versions.set(board, version)
  return board
}

/**
 * Loads the scoring rules with the first changes.
 * @returns undefined if that fails
 */
function loadRules() {
  return import('@capstan/contract/board-rules').catch(() => undefined)
}

/** Returns the known board with its changes applied. Returns undefined if the full board must be read. */
async function readChanges(gameId: number, known: Scoreboard): Promise<Scoreboard | undefined> {
  const since = versions.get(known)
  if (since === undefined) return undefined
  try {
    const changes = await call(ownOperations.getScoreboardRows, { params: { id: gameId }, query: { since } })
    if (changes.whole) return undefined
    if (changes.teams.length === 0 && changes.removed.length === 0) return withVersion(known, changes.version)
    const rules = await loadRules()
    return rules && withVersion(rules.applyBoardChanges(known, changes), changes.version)
  } catch (error) {
    // The server does not have this call, or the changes belong to another board.
    if (error instanceof RangeError || (error instanceof ApiError && error.httpStatus === 404)) return undefined
    throw error
  }
}

/**
 * Reads a scoreboard: first completely, and then only its changes.
 * @param known result of the last read
 */
export async function readScoreboard(gameId: number, known: Scoreboard | undefined): Promise<Scoreboard> {
  const followed = known && (await readChanges(gameId, known))
  if (followed) return followed
  const { data, headers } = await callWithHeaders(operations.getScoreboard, { params: { id: gameId } })
  return withVersion(data, headers.get(boardVersionHeader))
}

/** Reads the first rows of a scoreboard. If it has no more rows, this is already the full board. */
export async function readLeadingBoard(gameId: number): Promise<LeadingBoard> {
  const address = { params: { id: gameId } }
  const { data, headers } = await callWithHeaders(ownOperations.getLeadingBoard, address)
  if (data.items.length === data.teamCount)
    await setCallData([operations.getScoreboard, address], withVersion(data, headers.get(boardVersionHeader)))
  return data
}
