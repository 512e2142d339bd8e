// Reads all rows of a board in short steps, so that other requests are processed between the steps.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import type { Board } from './board.ts'

/** Number of rows that are read in one step. */
const rowsPerTurn = 20

/**
 * Returns the rows of a board in order of rank.
 * @param count number of rows from the start, at most `teamCount`
 */
export async function* eachStanding(
  board: Pick<Board, 'leaders' | 'teamCount'>,
  count = board.teamCount,
): AsyncGenerator<ScoreboardTeam> {
  for (let skip = 0; skip < count; skip += rowsPerTurn) {
    yield* board.leaders(Math.min(rowsPerTurn, count - skip), skip)
    await nextTurn()
  }
}

/**
 * Returns a board with all challenges, including hidden challenges that no team has unlocked. Only organizers may see this board.
 */
export async function readFullScoreboard(board: Board): Promise<Scoreboard> {
  const challenges = { ...board.allChallenges }
  const challengeCount = Object.values(challenges).flat().length
  return { ...board.readHead(), challenges, challengeCount, items: await Array.fromAsync(eachStanding(board)) }
}
