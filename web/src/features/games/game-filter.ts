import type { GameSummary } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { phaseOfGame } from '../../lib/game.ts'

export const phases = ['running', 'upcoming', 'ended'] as const satisfies readonly GamePhase[]

export type PhaseFilter = GamePhase | 'all'

/** Parses the filter that the address contains. If the value is unknown, the page shows all games. */
export function parsePhaseFilter(text: string | null): PhaseFilter {
  return phases.find((phase) => phase === text) ?? 'all'
}

/** Returns games whose title or summary contains all words of `search`, regardless of case. */
export function findGames(games: readonly GameSummary[], search: string): GameSummary[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return games.filter((game) => {
    const text = `${game.title} ${game.summary}`.toLocaleLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Sorts games: running ones by end, then upcoming ones by start, then ended ones by latest end. */
export function sortGames(games: readonly GameSummary[], now: number): GameSummary[] {
  const rank = (game: GameSummary) => phases.indexOf(phaseOfGame(game, now))
  const time = (game: GameSummary) => {
    const phase = phaseOfGame(game, now)
    if (phase === 'running') return Date.parse(game.end)
    return phase === 'upcoming' ? Date.parse(game.start) : -Date.parse(game.end)
  }
  return [...games].sort((one, other) => rank(one) - rank(other) || time(one) - time(other))
}
