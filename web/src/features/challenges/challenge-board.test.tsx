import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, describe, expect, it } from 'vitest'
import { compile, type PatternRunner } from '../../lib/name-search.ts'
import { show } from '../../testing/render.tsx'
import { useBoardPreferences } from './board-preferences.ts'
import { ChallengeBoard } from './challenge-board.tsx'
import { useBoardSearch } from './use-board-search.ts'

const user = userEvent.setup()

const board: PlayerBoard = {
  challenges: {
    Web: [
      {
        id: 1,
        title: 'Chandlery',
        category: 'Web',
        score: 400,
        solved: 2,
        bloods: [{ id: 8, name: 'Gull', avatar: null, submitTimeUtc: null }],
      },
      { id: 2, title: 'Anchor', category: 'Web', score: 900, solved: 0, bloods: [] },
    ],
    Misc: [{ id: 3, title: 'Muster', category: 'Misc', score: 100, solved: 1, bloods: [] }],
  },
  challengeCount: 3,
  rank: {
    id: 1,
    name: 'Salty Dogs',
    bio: null,
    organization: null,
    avatar: null,
    score: 100,
    rank: 2,
    organizationRank: null,
    lastSubmissionTime: '2026-01-01T00:00:00Z',
    solvedChallenges: [{ id: 3, score: 100, type: 'Normal', userName: 'mira', time: '2026-01-01T00:00:00Z' }],
    solvedCount: 1,
  },
  teamToken: 'token',
  writeupRequired: false,
  writeupDeadline: '2026-01-01T00:00:00Z',
}

/** jsdom has no workers: expressions run here. */
const searchHere = (): PatternRunner => ({
  ready: Promise.resolve(),
  run: async (pattern, names) => names.flatMap((name, index) => (compile(pattern).test(name) ? [index] : [])),
  stop: () => undefined,
})

type Category = Parameters<typeof ChallengeBoard>[0]['category']

function Harness({ shown = board, chosen }: { readonly shown?: PlayerBoard; readonly chosen?: Category }) {
  const [typed, setTyped] = useState('')
  const search = useBoardSearch(shown.challenges, typed, searchHere)
  const [category, setCategory] = useState(chosen)
  return (
    <ChallengeBoard
      board={shown}
      running={new Map([[2, { startedBy: 'mira' }]])}
      types={new Map([[2, 'DynamicContainer']])}
      category={category}
      typed={typed}
      search={search}
      onCategoryChange={setCategory}
      onTypedChange={setTyped}
      onClear={() => {
        setTyped('')
        setCategory(undefined)
      }}
      addressOf={(id) => `/at/${id}`}
    />
  )
}

const cards = () => screen.queryAllByRole('link').map((card) => card.querySelector('strong')?.textContent ?? card.textContent)
const showBoard = (shown = board, chosen?: Category) => show(<Harness shown={shown} chosen={chosen} />, { areas: ['challenges'] })

beforeEach(() => useBoardPreferences.setState({ view: 'cards', sort: 'title', hideSolved: false }))

describe('the board of challenges', () => {
  it('tells of each what a player wants to know', async () => {
    await showBoard()
    const web = screen.getByRole('region', { name: 'Web' })
    expect(within(web).getByRole('link', { name: /Chandlery.*400.*pts.*2 solves.*First blood: Gull/ })).toBeTruthy()
    expect(
      within(web).getByRole('link', {
        name: /Anchor.*Instance with your team’s own flag.*Instance running. Started by mira.*No solves yet/,
      }),
    ).toBeTruthy()
    expect(screen.getByRole('link', { name: /Muster.*Solved/ }).getAttribute('href')).toBe('/at/3')
  })

  it('keeps a place for each mark on every card, also where there is none', async () => {
    await showBoard()
    const marks = screen.getAllByRole('link').map((card) => {
      const places = [...(card.querySelector('strong')?.nextElementSibling?.children ?? [])]
      return places.map((place) => place.querySelector('[role=img]')?.getAttribute('aria-label') ?? '')
    })
    expect(marks).toEqual([
      ['', '', 'Solved'],
      ['Instance with your team’s own flag', 'Instance running. Started by mira', ''],
      ['', '', ''],
    ])
  })

  it('is sorted by what is newest, and remembers it', async () => {
    await showBoard()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'Newest')
    expect(cards()).toEqual(['Muster', 'Anchor', 'Chandlery'])
    expect(JSON.parse(localStorage.getItem('challenge-board') ?? '{}')).toMatchObject({ state: { sort: 'newest' } })
  })

  it('filters by category, search and solved', async () => {
    await showBoard()
    await user.click(screen.getByRole('button', { name: /^Web.*0 of 2 solved/ }))
    expect(cards()).toEqual(['Anchor', 'Chandlery'])
    await user.click(screen.getByRole('button', { name: /^All/ }))
    await user.click(screen.getByRole('switch', { name: 'Hide solved' }))
    expect(cards()).toEqual(['Anchor', 'Chandlery'])
    await user.type(screen.getByRole('searchbox', { name: 'Search titles' }), '^a')
    await expect.poll(() => cards()).toEqual(['Anchor'])
  })

  it('says that a pattern is not valid and keeps the board', async () => {
    await showBoard()
    await user.type(screen.getByRole('searchbox', { name: 'Search titles' }), '(an')
    expect(screen.getByRole('alert').textContent).toBe('This is not a valid regular expression')
    expect(cards()).toEqual(['Muster', 'Anchor', 'Chandlery'])
  })

  it('offers a way back when nothing matches', async () => {
    await showBoard()
    await user.type(screen.getByRole('searchbox', { name: 'Search titles' }), 'zzz')
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(cards()).toHaveLength(3)
  })

  it('offers a way back from a category without challenges', async () => {
    await showBoard(undefined, 'Crypto')
    expect(screen.getByRole('heading', { name: 'Nothing matches' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(cards()).toHaveLength(3)
  })

  it('becomes a table, and stays one', async () => {
    await showBoard()
    await user.click(screen.getByRole('radio', { name: 'Table' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'Points')
    const rows = screen.getAllByRole('row').slice(1)
    expect(rows.map((row) => within(row).getByRole('rowheader').textContent)).toEqual(['Anchor', 'Chandlery', 'Muster'])
    expect(useBoardPreferences.getState()).toMatchObject({ view: 'table', sort: 'points' })
  })

  it('says what will be here while there is nothing', async () => {
    await showBoard({ ...board, challenges: {} })
    expect(screen.getByRole('heading', { name: 'No challenges yet' })).toBeTruthy()
  })
})
