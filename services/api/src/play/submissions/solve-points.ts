import type { SolvedChallenge } from '@capstan/contract/scoreboard'
import { findFreezeInstant } from '../../server/players/frozen-since.ts'
import type { PlayDeps } from './deps.ts'
import { findSolveOnBoard, presentFrozenSolve, presentSolve } from './presenter.ts'
import type { SolveRow } from './repository.ts'

/**
 * Returns a solve with its points. A repeated call usually reads the points from the scoreboard. Counts solves only if the
 * scoreboard does not show the solve yet.
 */
export async function readPoints(
  { clock, scoreboards, queries }: Pick<PlayDeps, 'clock' | 'scoreboards' | 'queries'>,
  solve: SolveRow,
): Promise<SolvedChallenge | undefined> {
  const { gameId, submissionId, curve, isValueFixed } = solve
  if (findFreezeInstant(solve, clock.now())) {
    const board = await scoreboards.read(gameId, 'public')
    return board && presentFrozenSolve(solve, board)
  }
  // Use only a board that is built already. If there is no such board, the next client that reads the board starts a build, which
  // includes the solve.
  const onBoard = findSolveOnBoard(solve, scoreboards.ready(gameId, 'public'))
  if (onBoard) return onBoard
  const counts = await queries.countSolves(submissionId)
  const until = isValueFixed ? submissionId : undefined
  const most = curve.curve === 'rctf' ? await queries.countSolvesOfMostSolvedChallenge({ gameId, until }) : 0
  return counts && presentSolve(solve, counts, most)
}
