import { describe, expect, it } from 'vitest'
import { findGames, parsePhaseFilter, sortGames } from './game-filter.ts'

function game(title: string, start: string, end: string, summary = '') {
  return {
    id: title.length,
    title,
    summary,
    poster: null,
    limit: 0,
    start: `2026-03-${start}T00:00:00Z`,
    end: `2026-03-${end}T00:00:00Z`,
  }
}
const now = Date.parse('2026-03-10T00:00:00Z')

describe('the list of games', () => {
  it('the list contains running games by end, then upcoming games by start, and then ended games by latest end', () => {
    const games = [
      game('ended long ago', '01', '02'),
      game('coming later', '20', '21'),
      game('running long', '09', '15'),
      game('ended lately', '01', '08'),
      game('coming soon', '12', '30'),
      game('running out', '01', '11'),
    ]
    expect(sortGames(games, now).map(({ title }) => title)).toEqual([
      'running out',
      'running long',
      'coming soon',
      'coming later',
      'ended lately',
      'ended long ago',
    ])
  })

  it('the search finds games whose title and summary contain all words, regardless of case', () => {
    const games = [game('Harbour Trials', '01', '02', 'Between quay and sea'), game('Harbour Night', '01', '02')]
    expect(findGames(games, ' SEA harbour').map(({ title }) => title)).toEqual(['Harbour Trials'])
    expect(findGames(games, '')).toHaveLength(2)
    expect(findGames(games, '(')).toEqual([])
  })

  it('the list shows all games if the address has an unknown filter', () => {
    expect(parsePhaseFilter('upcoming')).toBe('upcoming')
    expect(parsePhaseFilter('soon')).toBe('all')
    expect(parsePhaseFilter(null)).toBe('all')
  })
})
