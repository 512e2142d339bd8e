import { ownOperations } from '@capstan/contract/operations'
import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { refreshCall } from '../lib/server-state.ts'
import { renderInApp } from '../testing/render.tsx'
import { simulateServer } from '../testing/server.ts'
import { Route } from './games.tsx'

const user = userEvent.setup()
const hour = 3_600_000
function game(id: number, title: string, startsInHours: number, endsInHours: number) {
  return {
    id,
    title,
    summary: '',
    poster: null,
    limit: 4,
    start: new Date(Date.now() + startsInHours * hour).toISOString(),
    end: new Date(Date.now() + endsInHours * hour).toISOString(),
  }
}
const three = [game(1, 'Old Pier', -9, -8), game(2, 'Harbour Trials', -1, 5), game(3, 'Winter Lantern', 2, 4)]

function open(at = '/games') {
  return renderInApp(<Route />, { at, pattern: '/games', areas: ['games'] })
}
function titles() {
  return screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent)
}

describe('the list of games', () => {
  it('the games page lists running games first, then upcoming and past ones', async () => {
    simulateServer({ 'GET /api/game/all': { body: three } })
    await open()
    await screen.findByRole('link', { name: 'Harbour Trials' })
    expect(titles()).toEqual(['Harbour Trials', 'Winter Lantern', 'Old Pier'])
  })

  it('the address stores the filter and the search text', async () => {
    simulateServer({ 'GET /api/game/all': { body: three } })
    const page = await open()
    await user.click(await screen.findByRole('radio', { name: /Upcoming/ }))
    expect(titles()).toEqual(['Winter Lantern'])
    await user.type(screen.getByRole('searchbox', { name: 'Search games' }), 'pier')
    expect(page.address()).toBe('/games?state=upcoming&search=pier')
    expect(screen.getByRole('heading', { name: 'No game matches' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show all games' }))
    expect(titles()).toEqual(['Harbour Trials', 'Winter Lantern', 'Old Pier'])
  })

  it('the keys j and k move through the games', async () => {
    simulateServer({ 'GET /api/game/all': { body: three } })
    await open()
    await screen.findByRole('link', { name: 'Harbour Trials' })
    await user.keyboard('jj')
    expect(document.activeElement?.textContent).toBe('Winter Lantern')
    await user.keyboard('k')
    expect(document.activeElement?.textContent).toBe('Harbour Trials')
  })

  it('the games page explains that a list is empty', async () => {
    simulateServer({ 'GET /api/game/all': { body: [] } })
    await open()
    expect(await screen.findByRole('heading', { name: 'No games yet' })).toBeTruthy()
  })

  it('the games page shows that a cached list could not be refreshed, with its time and a retry button', async () => {
    let fails = false
    const fault = { status: 503, body: { title: 'The server is busy', status: 503, code: 'server.unavailable' } }
    simulateServer({ 'GET /api/game/all': () => (fails ? fault : { body: three }) })
    await open()
    await screen.findByRole('link', { name: 'Harbour Trials' })
    expect(screen.queryByText(/Could not refresh/)).toBeNull()
    fails = true
    await act(() => refreshCall(ownOperations.listAllGames))
    expect((await screen.findByText(/^Could not refresh/)).textContent).toMatch(/^Could not refresh\. Shown as of \d\d:\d\d\.$/)
    expect(titles()).toHaveLength(3)
    fails = false
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    await expect.poll(() => screen.queryByText(/Could not refresh/)).toBeNull()
  })

  it('the games page offers a retry after an error', async () => {
    const asked = simulateServer({ 'GET /api/game/all': { status: 500, body: { title: 'Unknown error', status: 500 } } })
    await open()
    await user.click(await screen.findByRole('button', { name: 'Try again' }))
    await expect.poll(() => asked.filter((call) => call.address === '/api/game/all')).toHaveLength(2)
  })
})
