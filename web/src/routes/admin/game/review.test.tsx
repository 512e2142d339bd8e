import type { AdminGame, ParticipationRecord } from '@capstan/contract/games'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { useToasts } from '../../../components/ui/toast.ts'
import { ToastRegion } from '../../../components/ui/toast-region.tsx'
import { findClickable } from '../../../testing/clickable.ts'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './review.tsx'

const user = userEvent.setup()

beforeEach(() => useToasts.setState({ toasts: [] }))

const game: Partial<AdminGame> = {
  id: 3,
  title: 'Harbour Trials',
  organizations: [],
  acceptWithoutReview: false,
  teamLimit: null,
}

function aRecord(id: number, status: ParticipationRecord['status']): ParticipationRecord {
  return {
    id,
    status,
    organization: null,
    registeredMembers: ['u'],
    team: {
      id: id + 100,
      name: `Crew ${id}`,
      bio: null,
      avatar: null,
      locked: false,
      captainId: 'u',
      members: [
        {
          userId: 'u',
          userName: `sailor${id}`,
          email: null,
          bio: null,
          phone: null,
          realName: `Mira ${id}`,
          stdNumber: null,
          avatar: null,
          role: 'User',
        },
      ],
    },
  }
}

/** Simulates a server that stores each status that a call sets. */
function reviewed(records: ParticipationRecord[]) {
  const known = new Map(records.map((record) => [record.id, record]))
  const put = Object.fromEntries(
    records.flatMap(({ id }) =>
      (['Pending', 'Accepted', 'Rejected', 'Suspended'] as const).map((status) => [
        `PUT /api/admin/participation/${id}/${status}`,
        () => {
          known.set(id, { ...known.get(id)!, status })
          return {}
        },
      ]),
    ),
  )
  return simulateServer({
    'GET /api/edit/games/3': { body: game },
    'GET /api/game/3/participations': () => ({ body: [...known.values()] }),
    ...put,
  })
}

function open(query = '') {
  return renderInApp(
    <>
      <Route />
      <ToastRegion />
    </>,
    { at: `/admin/games/3/review${query}`, pattern: '/admin/games/:id/review', areas: ['admin-review', 'editing'] },
  )
}

function sentVerdicts(asked: ReturnType<typeof simulateServer>) {
  return asked.flatMap(({ method, address }) => (method === 'PUT' ? [address.replace('/api/admin/participation/', '')] : []))
}

it('the address stores the filter of teams', async () => {
  reviewed([aRecord(1, 'Pending'), aRecord(2, 'Accepted'), aRecord(3, 'Accepted')])
  const { address } = await open('?status=Accepted&q=crew')
  await screen.findByRole('button', { name: 'Crew 2' })
  expect(screen.queryByRole('button', { name: 'Crew 1' })).toBeNull()
  await user.click(screen.getByRole('radio', { name: 'All 3' }))
  await user.clear(screen.getByRole('searchbox'))
  await user.type(screen.getByRole('searchbox'), 'sailor1')
  await waitFor(() => expect(address()).toBe('/admin/games/3/review?status=all&q=sailor1'))
  expect(screen.queryByRole('button', { name: 'Crew 2' })).toBeNull()
})

describe('the review page by keyboard', () => {
  it('the shortcut key `a` accepts the highlighted team and highlights the next team', async () => {
    const asked = reviewed([aRecord(1, 'Pending'), aRecord(2, 'Pending'), aRecord(3, 'Pending')])
    await open()
    await screen.findByRole('button', { name: /Crew 1/ })
    await user.keyboard('a')
    await waitFor(() => expect(screen.queryByRole('button', { name: /Crew 1$/ })).toBeNull())
    await user.keyboard('r')
    await waitFor(() => expect(sentVerdicts(asked)).toEqual(['1/Accepted?withinLimit=true', '2/Rejected']))
  })

  it('the undo of each verdict names the team', async () => {
    reviewed([aRecord(1, 'Pending'), aRecord(2, 'Pending'), aRecord(3, 'Pending')])
    await open()
    await screen.findByRole('button', { name: /Crew 1/ })
    await user.keyboard('a')
    await user.keyboard('r')
    const toastWith = async (text: string) => (await screen.findByText(text)).parentElement?.textContent
    expect(await toastWith('1 team accepted')).toContain('Crew 1')
    expect(await toastWith('1 team rejected')).toContain('Crew 2')
  })

  it('the shortcut key `a` accepts all teams that the organizer selected with the key `x`', async () => {
    const asked = reviewed([aRecord(1, 'Pending'), aRecord(2, 'Pending'), aRecord(3, 'Pending')])
    await open()
    await screen.findByRole('button', { name: /Crew 1/ })
    await user.keyboard('xjjx')
    expect(screen.getByText('2 teams selected')).toBeTruthy()
    await user.keyboard('a')
    await waitFor(() => expect(sentVerdicts(asked)).toEqual(['1/Accepted?withinLimit=true', '3/Accepted?withinLimit=true']))
  })

  it('shortcut keys cannot change the status of a rejected team', async () => {
    const asked = reviewed([aRecord(1, 'Rejected')])
    await open()
    await screen.findByRole('button', { name: /Crew 1/ })
    await user.keyboard('ars')
    expect(sentVerdicts(asked)).toEqual([])
  })

  it('shortcut keys have no effect while the user types a search', async () => {
    const asked = reviewed([aRecord(1, 'Pending')])
    await open()
    await user.type(await screen.findByRole('searchbox'), 'crab')
    expect(sentVerdicts(asked)).toEqual([])
  })

  it('the review page undoes a verdict', async () => {
    const asked = reviewed([aRecord(1, 'Accepted')])
    await open()
    await screen.findByRole('button', { name: /Crew 1/ })
    await user.keyboard('s')
    await user.click(await findClickable('Undo'))
    await waitFor(() => expect(sentVerdicts(asked)).toEqual(['1/Suspended', '1/Accepted']))
  })
})

it('the review page shows an error and the old status if the api refuses a change', async () => {
  simulateServer({
    'GET /api/edit/games/3': { body: game },
    'GET /api/game/3/participations': { body: [aRecord(1, 'Pending')] },
    'PUT /api/admin/participation/1/Accepted': { status: 400, body: { title: 'Not now', status: 400 } },
  })
  await open()
  await screen.findByRole('button', { name: /Crew 1/ })
  await user.keyboard('a')
  expect((await screen.findByRole('alert')).textContent).toContain('Not now')
  const row = screen.getByRole('row', { name: /Crew 1/ })
  expect(within(row).getByText('Waiting')).toBeTruthy()
})

it('the review page selects a team again if the api refuses to accept the team', async () => {
  simulateServer({
    'GET /api/edit/games/3': { body: game },
    'GET /api/game/3/participations': { body: [aRecord(1, 'Pending'), aRecord(2, 'Pending')] },
    'PUT /api/admin/participation/1/Accepted': {},
    'PUT /api/admin/participation/2/Accepted': { status: 400, body: { title: 'Not now', status: 400 } },
  })
  await open()
  await screen.findByRole('button', { name: /Crew 1/ })
  await user.keyboard('xjx')
  await user.keyboard('a')
  await screen.findByText(/Not now/)
  expect(await screen.findByText('1 team selected')).toBeTruthy()
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /Crew 2/ }).checked).toBe(true)
})

it('the review page explains that a game has no teams', async () => {
  reviewed([])
  await open()
  expect(await screen.findByRole('heading', { name: 'No team has joined yet' })).toBeTruthy()
})
