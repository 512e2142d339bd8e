import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, describe, expect, it } from 'vitest'
import { compilePattern, type PatternRunner } from '../../lib/name-search.ts'
import { renderInApp } from '../../testing/render.tsx'
import type { Marks } from './board.ts'
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
        disableBloodBonus: false,
        deadline: null,
      },
      { id: 2, title: 'Anchor', category: 'Web', score: 900, solved: 0, bloods: [], disableBloodBonus: false, deadline: null },
    ],
    Misc: [
      { id: 3, title: 'Muster', category: 'Misc', score: 100, solved: 1, bloods: [], disableBloodBonus: false, deadline: null },
    ],
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

/** Matches regular expressions in the main thread, because jsdom has no workers. */
function searchHere(): PatternRunner {
  return {
    ready: Promise.resolve(),
    run: async (pattern, names) => names.flatMap((name, index) => (compilePattern(pattern).test(name) ? [index] : [])),
    stop: () => undefined,
  }
}

type Chosen = Parameters<typeof ChallengeBoard>[0]['chosen']

const none: Chosen = { category: undefined, difficulty: undefined, tag: undefined }
const marks: Marks = new Map([
  [1, { id: 1, hasContainer: false, hasFile: true, difficulty: 'hard', tags: ['SQLi', 'shop'] }],
  [2, { id: 2, hasContainer: true, hasFile: true, difficulty: null, tags: [] }],
  [3, { id: 3, hasContainer: true, hasFile: false, difficulty: 'beginner', tags: ['welcome'] }],
])

type HarnessProps = Readonly<{
  shown?: PlayerBoard
  at?: Partial<Chosen>
  known?: Marks
}>

function Harness({ shown = board, at, known = marks }: HarnessProps) {
  const [typed, setTyped] = useState('')
  const search = useBoardSearch(shown.challenges, known, typed, searchHere)
  const [chosen, setChosen] = useState<Chosen>({ ...none, ...at })
  return (
    <ChallengeBoard
      board={shown}
      running={new Map([[2, { startedBy: 'mira' }]])}
      marks={known}
      chosen={chosen}
      typed={typed}
      search={search}
      onChoose={(changed) => setChosen({ ...chosen, ...changed })}
      onTypedChange={setTyped}
      onClear={() => {
        setTyped('')
        setChosen(none)
      }}
      addressOf={(id) => `/at/${id}`}
    />
  )
}

function cards() {
  return screen.queryAllByRole('link').map((card) => card.querySelector('strong')?.textContent ?? card.textContent)
}
function showBoard(props: HarnessProps = {}) {
  return renderInApp(<Harness {...props} />, { areas: ['challenges'] })
}

beforeEach(() => useBoardPreferences.setState({ view: 'cards', sort: 'title', hideSolved: false }))

describe('the challenge board', () => {
  it('the board shows the details of each challenge', async () => {
    await showBoard()
    const web = screen.getByRole('region', { name: 'Web' })
    expect(within(web).getByRole('link', { name: /Chandlery.*400.*pts.*2 solves.*Second blood is open/ })).toBeTruthy()
    expect(
      within(web).getByRole('link', {
        name: /Anchor.*File.*Instance running. Started by mira.*0 solves/,
      }),
    ).toBeTruthy()
    expect(within(web).getByRole('link', { name: /Chandlery.*SQLi · shop.*File.*Difficulty: Hard/ })).toBeTruthy()
    expect(screen.getByRole('link', { name: /Muster.*Solved/ }).getAttribute('href')).toBe('/at/3')
  })

  it('the board marks the deadline of unsolved challenges before and after it has passed', async () => {
    const deadlines: Record<number, number> = { 1: Date.UTC(2020, 0, 1), 2: Date.UTC(2999, 0, 1, 12), 3: Date.UTC(2020, 0, 1) }
    const challenges = Object.entries(board.challenges).map(([category, listed]) => [
      category,
      listed.map((challenge) => ({ ...challenge, deadline: deadlines[challenge.id] ?? null })),
    ])
    await showBoard({ shown: { ...board, challenges: Object.fromEntries(challenges) } })
    expect(screen.getByRole('link', { name: /Chandlery.*This challenge is closed\./ })).toBeTruthy()
    expect(screen.getByRole('link', { name: /Anchor.*Open until .*2999/ })).toBeTruthy()
    expect(screen.queryByRole('link', { name: /Muster.*closed/ })).toBeNull()
  })

  it('the board shows a lock and the unlock condition for each locked challenge', async () => {
    const locked = [
      { id: 1, after: [3, 2], needed: 2, solved: 1, points: null },
      { id: 2, after: [], needed: 0, solved: 0, points: 500 },
    ]
    await showBoard({ shown: { ...board, locked } })
    expect(screen.getByRole('link', { name: /Chandlery.*400.*Locked.*1 of 2 prerequisites/ })).toBeTruthy()
    expect(screen.getByRole('link', { name: /Anchor.*Locked.*At 500 points/ })).toBeTruthy()
    expect(screen.queryByRole('link', { name: /Muster.*Locked/ })).toBeNull()
    useBoardPreferences.setState({ view: 'table' })
    expect(await screen.findByRole('row', { name: /Chandlery.*Locked.*1 of 2 prerequisites/ })).toBeTruthy()
  })

  it('every card reserves space for each kind of mark, even if the card lacks the mark', async () => {
    await showBoard()
    const marks = screen.getAllByRole('link').map((card) => {
      const places = [...(card.querySelector('strong')?.parentElement?.nextElementSibling?.children ?? [])]
      return places.map(
        (place) => (place.closest('[role=img]') ?? place.querySelector('[role=img]'))?.getAttribute('aria-label') ?? '',
      )
    })
    expect(marks).toEqual([
      ['', 'Instance', 'Solved', 'Difficulty: Beginner'],
      ['File', 'Instance running. Started by mira', ''],
      ['File', '', '', 'Difficulty: Hard'],
    ])
  })

  it('the board sorts the newest challenges first, and stores this choice', async () => {
    await showBoard()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'Newest')
    expect(cards()).toEqual(['Muster', 'Anchor', 'Chandlery'])
    expect(JSON.parse(localStorage.getItem('challenge-board') ?? '{}')).toMatchObject({ state: { sort: 'newest' } })
  })

  it('the board filters challenges by category, search text and solved challenges', async () => {
    await showBoard()
    await user.click(screen.getByRole('button', { name: /^Web.*0 of 2 solved/ }))
    expect(cards()).toEqual(['Anchor', 'Chandlery'])
    await user.click(screen.getByRole('button', { name: /^All/ }))
    await user.click(screen.getByRole('switch', { name: 'Hide solved' }))
    expect(cards()).toEqual(['Anchor', 'Chandlery'])
    await user.type(screen.getByRole('searchbox', { name: 'Search titles, tags' }), '^a')
    await expect.poll(() => cards()).toEqual(['Anchor'])
  })

  it('the board filters by difficulty and tag, finds tags, and sorts by difficulty', async () => {
    await showBoard()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Difficulty' }), 'Hard')
    expect(cards()).toEqual(['Chandlery'])
    await user.selectOptions(screen.getByRole('combobox', { name: 'Tag' }), 'welcome')
    expect(cards()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(cards()).toHaveLength(3)
    const search = screen.getByRole('searchbox', { name: 'Search titles, tags' })
    await user.type(search, 'sql')
    expect(cards()).toEqual(['Chandlery'])
    await user.clear(search)
    await user.type(search, '^shop$')
    await expect.poll(() => cards()).toEqual(['Chandlery'])
    await user.clear(search)
    await user.click(screen.getByRole('radio', { name: 'Table' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'Difficulty')
    expect(screen.getAllByRole('rowheader').map((row) => row.querySelector('a')?.textContent)).toEqual([
      'Muster',
      'Chandlery',
      'Anchor',
    ])
  })

  it('the board reports that all challenges are solved if only solved challenges match the filters', async () => {
    await showBoard({ at: { tag: 'welcome' } })
    await user.click(screen.getByRole('switch', { name: 'Hide solved' }))
    expect(screen.getByRole('heading', { name: 'You’ve solved everything here' })).toBeTruthy()
  })

  it('the board omits the filters and the space for labels if no challenge has labels', async () => {
    await showBoard({ known: new Map() })
    expect(screen.queryByRole('combobox', { name: 'Difficulty' })).toBeNull()
    expect(screen.queryByRole('combobox', { name: 'Tag' })).toBeNull()
    expect(within(screen.getByRole('combobox', { name: 'Sort by' })).queryByText('Difficulty')).toBeNull()
  })

  it('the board reports an invalid regular expression and does not change', async () => {
    await showBoard()
    await user.type(screen.getByRole('searchbox', { name: 'Search titles, tags' }), '(an')
    expect(screen.getByRole('alert').textContent).toBe('This is not a valid regular expression')
    expect(cards()).toEqual(['Muster', 'Anchor', 'Chandlery'])
  })

  it('the board offers to clear the filters if no challenge matches them', async () => {
    await showBoard()
    await user.type(screen.getByRole('searchbox', { name: 'Search titles, tags' }), 'zzz')
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(cards()).toHaveLength(3)
  })

  it('the board offers to clear the filters if the selected category has no challenges', async () => {
    await showBoard({ at: { category: 'Crypto' } })
    expect(screen.getByRole('heading', { name: 'No results' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(cards()).toHaveLength(3)
  })

  it('the board switches to a table, and stores this choice', async () => {
    await showBoard()
    await user.click(screen.getByRole('radio', { name: 'Table' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'Points')
    const rows = screen.getAllByRole('row').slice(1)
    expect(rows.map((row) => within(row).getByRole('link').textContent)).toEqual(['Anchor', 'Chandlery', 'Muster'])
    expect(useBoardPreferences.getState()).toMatchObject({ view: 'table', sort: 'points' })
  })

  it('the board explains that it is empty', async () => {
    await showBoard({ shown: { ...board, challenges: {} } })
    expect(screen.getByRole('heading', { name: 'No challenges yet' })).toBeTruthy()
  })
})
