import type { GameNotice } from '@capstan/contract/games'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { bloodPlace } from '../ui/blood-shape.ts'

/**
 * Returns the id of the challenge that a notice is about. A notice contains only the title of the challenge.
 * @returns undefined if the board contains no challenge with this title, or several
 */
export function findChallengeOfNotice({ type, values }: Pick<GameNotice, 'type' | 'values'>, board: PlayerBoard | undefined) {
  if (type === 'Normal' || !board) return undefined
  const title = values[bloodPlace(type) ? 1 : 0]
  const [found, ...others] = Object.values(board.challenges)
    .flat()
    .filter((challenge) => challenge.title === title)
  return others.length === 0 ? found?.id : undefined
}
