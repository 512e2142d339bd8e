import type { BoardChallenge, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { getStanding, listColumns } from './standings.ts'
import { StandingsGrid } from './standings-grid.tsx'

const rowHeight = 34
const challengeCount = 100
function aChallenge(id: number): BoardChallenge {
  return {
    id,
    title: `Task ${id}`,
    category: 'Web',
    score: 100,
    solved: 0,
    bloods: [],
    disableBloodBonus: false,
    deadline: null,
  }
}
function aTeam(rank: number): ScoreboardTeam {
  return {
    id: rank,
    name: `Team ${rank}`,
    bio: null,
    organization: null,
    avatar: null,
    score: 100_000 - rank,
    rank,
    organizationRank: null,
    lastSubmissionTime: '2026-05-01T10:00:00Z',
    solvedChallenges: Array.from({ length: challengeCount }, (_, index) => ({
      id: index + 1,
      score: 100,
      type: index === 0 ? 'FirstBlood' : 'Normal',
      userName: 'mira',
      time: '2026-05-01T10:00:00Z',
    })),
    solvedCount: challengeCount,
  }
}
const teams = Array.from({ length: 1000 }, (_, index) => aTeam(index + 1))

async function showBoard() {
  const opened: number[] = []
  const challenges = Array.from({ length: challengeCount }, (_, index) => aChallenge(index + 1))
  await renderInApp(
    <StandingsGrid
      teams={teams}
      columns={listColumns({ challenges: { Web: challenges } })}
      division="all"
      own={undefined}
      risen={new Set()}
      onOpen={(id) => opened.push(id)}
    />,
    { areas: ['scoreboard'] },
  )
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  return opened
}

/** Advances the time by a frame, and then scrolls the page by a number of rows. */
function scroll(rows: number, afterMs: number) {
  return act(() => {
    vi.advanceTimersByTime(afterMs)
    vi.stubGlobal('scrollY', scrollY + rows * rowHeight)
    dispatchEvent(new Event('scroll'))
  })
}
/** Waits until all rows are complete. Each step starts after the previous one is drawn. */
function settle() {
  for (let step = 0; step < 20; step += 1) act(() => void vi.advanceTimersByTime(200))
}
it("the board marks solves since the freeze only in the row of the user's team", async () => {
  const challenges = [aChallenge(1), aChallenge(2)]
  const solved = { ...aTeam(1), solvedChallenges: aTeam(1).solvedChallenges.slice(0, 1) }
  const own = { ...solved, id: 2, name: 'Team 2', rank: 2 }
  const later = { id: 2, score: 100, type: 'Normal' as const, userName: 'mira', time: '2026-05-01T11:00:00Z' }
  await renderInApp(
    <StandingsGrid
      teams={[solved, own]}
      columns={listColumns({ challenges: { Web: challenges } })}
      division="all"
      own={getStanding(own, 'all')}
      ownLater={[later]}
      risen={new Set()}
      onOpen={() => {}}
    />,
    { areas: ['scoreboard'] },
  )
  const cell = await screen.findByText('Solved after the freeze. Only your team sees it.')
  expect(cell.closest('[data-team]')?.getAttribute('data-team')).toBe('2')
  expect(
    [...document.querySelectorAll('[data-later]')].map((ring) => ring.closest('[data-marks]')?.getAttribute('data-marks')),
  ).toEqual(['2'])
})

function row(rank: number) {
  return screen.getByRole('row', { name: new RegExp(`Team ${rank}\\b`) })
}
function cells(rank: number) {
  return within(row(rank)).queryAllByRole('cell', { name: 'Solved' })
}

beforeEach(() => {
  vi.stubGlobal('scrollY', 0)
  // Simulates that the board is at the top of the page.
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(() => new DOMRect(0, -scrollY, 1200, 0))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('a board that scrolls with the page', () => {
  it('new rows show names, points and marks immediately, but text cells only when scrolling ends', async () => {
    await showBoard()
    for (let frame = 0; frame < 5; frame += 1) scroll(10, 16)
    expect(row(55).textContent).toContain('99,945')
    expect(document.querySelector('[data-marks="55"] path')).toBeTruthy()
    expect(cells(55)).toHaveLength(0)
    settle()
    expect(cells(55)).toHaveLength(challengeCount - 1)
  })

  it('rows that were visible before the scroll retain their text cells', async () => {
    await showBoard()
    scroll(2, 0)
    settle()
    for (let frame = 0; frame < 3; frame += 1) scroll(3, 16)
    expect(cells(20)).toHaveLength(challengeCount - 1)
    expect(cells(44)).toHaveLength(0)
  })

  it('only visible rows have marks, with one element per kind of mark', async () => {
    await showBoard()
    expect(document.querySelectorAll('[data-marks="1"] svg path')).toHaveLength(3)
    expect(document.querySelectorAll('[data-marks]').length).toBeLessThan(60)
  })

  it('a click on any part of a row opens the team once', async () => {
    const opened = await showBoard()
    const marks = document.querySelector('[data-marks="3"]')
    fireEvent.click(marks as Element, { clientY: 2.5 * rowHeight })
    expect(opened).toEqual([3])
    fireEvent.click(within(row(4)).getByRole('button'), { clientY: 3.5 * rowHeight })
    expect(opened).toEqual([3, 4])
  })
})

it("the board reserves the space of the user's row at the top while this row is expected", async () => {
  const columns = listColumns({ challenges: { Web: [aChallenge(1)] } })
  const showGrid = (rows: readonly ScoreboardTeam[]) =>
    renderInApp(
      <StandingsGrid
        teams={rows}
        columns={columns}
        division="all"
        own={undefined}
        isOwnExpected
        risen={new Set()}
        onOpen={() => undefined}
      />,
      { areas: ['scoreboard'] },
    )
  const long = await showGrid(teams.slice(0, 9))
  expect(long.container.querySelector('[data-pinned="true"] [data-skeleton]')).not.toBeNull()
  long.unmount()
  const short = await showGrid(teams.slice(0, 8))
  expect(short.container.querySelector('[data-skeleton]')).toBeNull()
})
