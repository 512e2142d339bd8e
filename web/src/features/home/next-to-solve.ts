import type { BoardChallenge, PlayerBoard } from '@capstan/contract/scoreboard'

/** Returns unsolved challenges, sorted by most solves and then by fewest points. */
export function listChallengesToSolveNext(board: PlayerBoard, count: number): readonly BoardChallenge[] {
  const solved = new Set(board.rank?.solvedChallenges.map(({ id }) => id))
  return Object.values(board.challenges)
    .flat()
    .filter(({ id }) => !solved.has(id))
    .toSorted((one, other) => other.solved - one.solved || one.score - other.score || one.id - other.id)
    .slice(0, count)
}
