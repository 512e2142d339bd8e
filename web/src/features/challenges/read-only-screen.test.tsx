import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { ReadOnlyChallengesScreen } from './read-only-screen.tsx'

const user = userEvent.setup()
function head(id: number, title: string, isEnabled: boolean) {
  return {
    ...{ id, title, isEnabled, category: 'Pwn', type: 'DynamicContainer', score: 400, solved: 3 },
  }
}
const health = {
  ...{ running: 12, starting: 0, failing: 1, failedStarts: 2 },
  ...{ reason: 'The image could not be downloaded.', lastReadyAt: '2026-05-01T12:00:00Z' },
}
const server = {
  'GET /api/account/profile': { body: { userId: 'x', userName: 'eye', role: 'Monitor' } },
  'GET /api/game/1/monitor/challenges': {
    body: [
      { ...head(3, 'Baby Heap', true), instances: health },
      { ...head(4, 'Draft', false), type: 'StaticAttachment', instances: null },
    ],
  },
  'GET /api/game/1/monitor/challenges/3': {
    body: {
      ...{
        ...head(3, 'Baby Heap', true),
        content: 'Break **it**',
        hints: ['Look at free'],
        hintPrices: [50],
        flagPoints: [30, 70],
        hasTeamFiles: false,
      },
      attachment: { url: `/assets/${'a'.repeat(64)}/heap.zip`, fileSize: 1500 },
    },
  },
  'GET /api/game/1/monitor/challenges/4': {
    body: {
      ...head(4, 'Draft', false),
      content: '',
      hints: [],
      hintPrices: [],
      flagPoints: [],
      hasTeamFiles: true,
      attachment: null,
    },
  },
}
function open(at = '/games/1/challenges') {
  return renderInApp(<ReadOnlyChallengesScreen gameId={1} />, {
    ...{ at, pattern: '/games/:id/challenges/:chalId?' },
    areas: ['challenges', 'instances', 'challenge-health'],
  })
}

describe('the challenge list of a monitor', () => {
  it('the list shows points, solves and instance states, and marks challenges that are not enabled', async () => {
    simulateServer(server)
    await open()
    const row = (await screen.findByRole('rowheader', { name: /Baby Heap/ })).closest('tr')
    expect(row?.textContent).toContain('400')
    expect(row?.textContent).toContain('12 running')
    expect(row?.textContent).toContain('1 failing')
    expect(row?.textContent).toContain('2 failed starts in the last hour')
    expect(row?.textContent).toContain('The image could not be downloaded.')
    expect(screen.getByRole('rowheader', { name: /Draft/ }).textContent).toContain('Disabled')
  })

  it('the list opens a challenge with its text, file and hints, but shows no flag form', async () => {
    simulateServer(server)
    const page = await open()
    await user.click(await screen.findByRole('link', { name: 'Baby Heap' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Baby Heap' }))
    expect(await dialog.findByText('it')).toBeTruthy()
    expect(dialog.getByRole('link', { name: /heap.zip/ })).toBeTruthy()
    expect(dialog.getByText('1 hint')).toBeTruthy()
    expect(dialog.getByText('500 points')).toBeTruthy()
    expect(dialog.getByRole('region', { name: 'Flags to find' }).textContent).toContain('70 points')
    expect(dialog.queryByRole('textbox')).toBeNull()
    await user.click(dialog.getByRole('button', { name: 'Next challenge' }))
    expect(await screen.findByText('Each team gets its own file.')).toBeTruthy()
    await waitFor(() => expect(page.address()).toBe('/games/1/challenges/4'))
    await user.click(screen.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(page.address()).toBe('/games/1/challenges'))
  })

  it('the dialog reports that a challenge does not exist', async () => {
    simulateServer(server)
    await open('/games/1/challenges/99')
    expect(await screen.findByRole('heading', { name: /not (open|available)/ })).toBeTruthy()
  })
})
