import type { GameSummary } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { phaseOf } from '../../lib/game.ts'

export const phases = ['running', 'upcoming', 'ended'] as const satisfies readonly GamePhase[]

export type PhaseFilter = GamePhase | 'all'

/** The filter of an address; anything unknown shows all. */
export function readPhaseFilter(text: string | null): PhaseFilter {
  return phases.find((phase) => phase === text) ?? 'all'
}

/** Games whose title or summary has all the words of `search`, whatever their case. */
export function findGames(games: readonly GameSummary[], search: string): GameSummary[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return games.filter((game) => {
    const text = `${game.title} ${game.summary}`.toLocaleLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Running games by their end, then coming ones by their start, then the others, latest end first. */
export function inOrder(games: readonly GameSummary[], now: number): GameSummary[] {
  const rank = (game: GameSummary) => phases.indexOf(phaseOf(game, now))
  const time = (game: GameSummary) => {
    const phase = phaseOf(game, now)
    if (phase === 'running') return Date.parse(game.end)
    return phase === 'upcoming' ? Date.parse(game.start) : -Date.parse(game.end)
  }
  return [...games].sort((one, other) => rank(one) - rank(other) || time(one) - time(other))
}
