import type { BoardChallenge, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { act, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { show } from '../../testing/render.tsx'
import { columnsOf } from './standings.ts'
import { StandingsGrid } from './standings-grid.tsx'

const rowHeight = 42
const aChallenge = (id: number): BoardChallenge => ({
  id,
  title: `Task ${id}`,
  category: 'Web',
  score: 100,
  solved: 0,
  bloods: [],
})
const aTeam = (rank: number): ScoreboardTeam => ({
  id: rank,
  name: `Team ${rank}`,
  bio: null,
  organization: null,
  avatar: null,
  score: 100_000 - rank,
  rank,
  organizationRank: null,
  lastSubmissionTime: '2026-05-01T10:00:00Z',
  solvedChallenges: [{ id: 1, score: 100, type: 'Normal', userName: 'mira', time: '2026-05-01T10:00:00Z' }],
  solvedCount: 1,
})
const teams = Array.from({ length: 1000 }, (_, index) => aTeam(index + 1))

const showBoard = async () => {
  await show(
    <StandingsGrid
      teams={teams}
      columns={columnsOf({ challenges: { Web: [aChallenge(1)] } })}
      division="all"
      own={undefined}
      risen={new Set()}
      onOpen={() => undefined}
    />,
    { areas: ['scoreboard'] },
  )
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
}

/** Time passes, then the board has been scrolled so many rows. */
const scroll = (rows: number, afterMs: number) =>
  act(() => {
    vi.advanceTimersByTime(afterMs)
    const board = screen.getByRole('table')
    board.scrollTop += rows * rowHeight
    board.dispatchEvent(new Event('scroll'))
  })
const row = (rank: number) => screen.getByRole('row', { name: new RegExp(`Team ${rank}\\b`) })
const solvedCell = (rank: number) => within(row(rank)).queryByRole('cell', { name: 'Solved' })

beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1200)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(700)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a board that is flung', () => {
  it('shows names and points of new rows at once, their cells when it is calm', async () => {
    await showBoard()
    for (let frame = 0; frame < 5; frame += 1) scroll(10, 16)
    expect(row(55).textContent).toContain('99,945')
    expect(solvedCell(55)).toBeNull()
    act(() => void vi.advanceTimersByTime(1000))
    expect(solvedCell(55)).toBeTruthy()
  })

  it('keeps the cells of rows that were there before', async () => {
    await showBoard()
    scroll(2, 1000)
    for (let frame = 0; frame < 3; frame += 1) scroll(3, 16)
    expect(solvedCell(12)).toBeTruthy()
    expect(solvedCell(28)).toBeNull()
  })

  it.each([10, 900])('leaves nothing out of one jump by %i rows', async (rows) => {
    await showBoard()
    scroll(rows, 1000)
    expect(solvedCell(rows + 1)).toBeTruthy()
  })
})
