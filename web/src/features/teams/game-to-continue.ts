import type { GameSummary } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'

/**
 * Returns the running game that ends first, or else the next game.
 * @returns undefined if all games are over
 */
export function findGameToContinue<Game extends Pick<GameSummary, 'start' | 'end'>>(
  games: readonly Game[],
  phaseOf: (game: Game) => GamePhase,
): Game | undefined {
  const first = (phase: GamePhase, at: 'start' | 'end') =>
    games.filter((game) => phaseOf(game) === phase).toSorted((one, other) => Date.parse(one[at]) - Date.parse(other[at]))[0]
  return first('running', 'end') ?? first('upcoming', 'start')
}
