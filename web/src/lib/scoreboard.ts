import type { LeadingBoard } from '@capstan/contract/board-parts'
import { boardVersionHeader } from '@capstan/contract/board-version'
import type { BoardView } from '@capstan/contract/board-view'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { ApiError, call, callWithHeaders } from './http.ts'
import { setCallData } from './server-state.ts'

/** Version of each board. The next request for changes sends the version as `since`. */
const versions = new WeakMap<Scoreboard, string>()

function withVersion(board: Scoreboard, version: string | null): Scoreboard {
  if (version === null) versions.delete(board)
  else versions.set(board, version)
  return board
}

/** True if both values are the same version of a board. It compares only versions, because comparing large boards would be slow. */
export function isSameBoard(one: Scoreboard | undefined, other: Scoreboard | undefined): boolean {
  if (!one || !other) return one === other
  // Compare the versions, too, because an edit of a challenge during the freeze changes the board but not its build time.
  return one.updateTimeUtc === other.updateTimeUtc && versions.get(one) === versions.get(other)
}

/** Returns the input of calls that read a board. The input for the public board contains no view. */
export function createBoardInput(gameId: number, view: BoardView) {
  return { params: { id: gameId }, query: view === 'public' ? {} : { view } }
}

/**
 * Loads the scoring rules when the first changes arrive.
 * @returns undefined if the load fails
 */
function loadRules() {
  return import('@capstan/contract/board-rules').catch(() => undefined)
}

/** Applies the changes to the known board. Returns undefined if the full board must be read. */
async function readChanges(gameId: number, known: Scoreboard, view: BoardView): Promise<Scoreboard | undefined> {
  const since = versions.get(known)
  if (since === undefined) return undefined
  const input = createBoardInput(gameId, view)
  try {
    const changes = await call(ownOperations.getScoreboardRows, { ...input, query: { ...input.query, since } })
    if (changes.whole) return undefined
    if (changes.teams.length === 0 && changes.removed.length === 0) return withVersion(known, changes.version)
    const rules = await loadRules()
    return rules && withVersion(rules.applyBoardChanges(known, changes), changes.version)
  } catch (error) {
    // Read the full board if the server does not have this call, or if the changes belong to another board.
    if (error instanceof RangeError || (error instanceof ApiError && error.httpStatus === 404)) return undefined
    throw error
  }
}

/**
 * Reads a scoreboard: first completely, and then only its changes.
 * @param known result of the last read
 */
export async function readScoreboard(
  gameId: number,
  known: Scoreboard | undefined,
  view: BoardView = 'public',
): Promise<Scoreboard> {
  const followed = known && (await readChanges(gameId, known, view))
  if (followed) return followed
  const { data, headers } = await callWithHeaders(operations.getScoreboard, createBoardInput(gameId, view))
  return withVersion(data, headers.get(boardVersionHeader))
}

/** Reads the first rows of a scoreboard. If these are all rows of the board, the result also serves as the full board. */
export async function readLeadingBoard(gameId: number, view: BoardView): Promise<LeadingBoard> {
  const address = createBoardInput(gameId, view)
  const { data, headers } = await callWithHeaders(ownOperations.getLeadingBoard, address)
  if (data.items.length === data.teamCount)
    await setCallData([operations.getScoreboard, address], withVersion(data, headers.get(boardVersionHeader)))
  return data
}
