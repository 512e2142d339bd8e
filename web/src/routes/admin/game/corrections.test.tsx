import type { Award } from '@capstan/contract/awards'
import type { SolveCorrection } from '@capstan/contract/corrections'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { useToasts } from '../../../components/ui/toast.ts'
import { ToastRegion } from '../../../components/ui/toast-region.tsx'
import { TeamCorrections } from '../../../features/admin-review/team-corrections.tsx'
import { findClickable } from '../../../testing/clickable.ts'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './corrections.tsx'

const user = userEvent.setup()
beforeEach(() => useToasts.setState({ toasts: [] }))

const award: Award = {
  ...{ id: 5, teamId: 101, team: 'Crew', points: 40, reason: 'Gave a talk', isReasonShown: false },
  ...{ time: Date.parse('2026-05-01T10:00:00Z'), author: 'harbour', revokedAt: null, revokedBy: null },
}

const correction: SolveCorrection = {
  ...{ id: 8, teamId: 101, team: 'Crew', challengeId: 9, challenge: 'Ropes', kind: 'TakenBack', reason: 'Wrong flag' },
  ...{ solvedAt: award.time, time: award.time, author: 'harbour', revokedAt: null, revokedBy: null },
}

/** Simulates a server that stores awards and corrections. */
function storing(list: Award[], solves: SolveCorrection[] = []) {
  let known = list
  let corrected = solves
  return simulateServer({
    'GET /api/edit/games/3/challenges': { body: [{ id: 9, title: 'Ropes' }] },
    'GET /api/edit/games/3/corrections': () => ({ body: { data: corrected, length: corrected.length, total: corrected.length } }),
    'POST /api/edit/games/3/corrections': ({ body }) => {
      const created = { ...correction, ...(body as Partial<SolveCorrection>) }
      corrected = [created, ...corrected]
      return { body: created }
    },
    'DELETE /api/edit/games/3/corrections/8': () => {
      corrected = corrected.map((each) => ({ ...each, revokedAt: award.time + 60_000, revokedBy: 'pilot' }))
      return { body: corrected[0] }
    },
    'GET /api/edit/games/3/awards': () => ({ body: { data: known, length: known.length, total: known.length } }),
    'POST /api/edit/games/3/awards': ({ body }) => {
      const created = { ...award, id: known.length + 6, ...(body as Partial<Award>) }
      known = [created, ...known]
      return { body: created }
    },
    'DELETE /api/edit/games/3/awards/5': () => revoke(5),
    'DELETE /api/edit/games/3/awards/6': () => revoke(6),
  })
  function revoke(id: number) {
    known = known.map((each) => (each.id === id ? { ...each, revokedAt: award.time + 60_000, revokedBy: 'pilot' } : each))
    return { body: known.find((each) => each.id === id) }
  }
}

function openPage() {
  return renderInApp(
    <>
      <Route />
      <ToastRegion />
    </>,
    { at: '/admin/games/3/corrections', pattern: '/admin/games/:id/corrections', areas: ['admin-review'] },
  )
}

function openTeam() {
  return renderInApp(
    <>
      <TeamCorrections gameId={3} team={{ id: 101, name: 'Crew' }} />
      <ToastRegion />
    </>,
    { areas: ['admin-review'] },
  )
}

it('the corrections page explains where to award points if there are no awards', async () => {
  storing([])
  await openPage()
  expect(await screen.findByText('No corrections yet')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Choose a team' }).getAttribute('href')).toBe('/admin/games/3/review')
})

it('the corrections page revokes an award only after confirmation, and lists when it was revoked', async () => {
  const asked = storing([award])
  await openPage()
  const row = await screen.findByRole('row', { name: /Gave a talk/ })
  expect(within(row).getByRole('link', { name: 'Crew' }).getAttribute('href')).toBe('/admin/games/3/review?team=101')
  expect(within(row).getByText('Hidden from the team')).toBeTruthy()
  await user.click(within(row).getByRole('button', { name: 'Revoke +40 of Crew' }))
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Revoke' }))
  await screen.findByText(/Revoked by pilot/)
  expect(screen.queryByRole('button', { name: /^Revoke/ })).toBeNull()
  expect(screen.getByText('No solves granted or taken back.')).toBeTruthy()
  expect(asked.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
})

it('the corrections page shows the error if the read fails', async () => {
  simulateServer({
    'GET /api/edit/games/3/awards': { status: 404, body: { title: 'Game not found', status: 404 } },
    'GET /api/edit/games/3/corrections': { body: { data: [], length: 0, total: 0 } },
  })
  await openPage()
  expect(await screen.findByText('Game not found')).toBeTruthy()
})

it('the dialog takes points from a team with a reason, and can undo it', async () => {
  const asked = storing([])
  await openTeam()
  await screen.findByText('No points given or taken.')
  await user.click(screen.getByRole('button', { name: 'Add or deduct points' }))
  const dialog = screen.getByRole('dialog', { name: 'Points for Crew' })
  await user.click(within(dialog).getByRole('radio', { name: 'Take points' }))
  await user.click(within(dialog).getByRole('button', { name: 'Take points' }))
  expect(within(dialog).getByText('Enter a whole number from 1 to 1,000,000.')).toBeTruthy()
  await user.type(within(dialog).getByRole('spinbutton', { name: 'Points' }), '25')
  await user.type(within(dialog).getByRole('textbox', { name: 'Reason' }), 'Shared a flag')
  await user.click(within(dialog).getByRole('switch', { name: 'Show the reason to the team' }))
  await user.click(within(dialog).getByRole('button', { name: 'Take points' }))
  await screen.findByText('Shared a flag')
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({
    ...{ teamId: 101, points: -25, reason: 'Shared a flag', isReasonShown: false },
  })
  await user.click(await findClickable('Undo'))
  await screen.findByText(/Revoked by pilot/)
})

it('the dialog retains the input if the server refuses the award', async () => {
  simulateServer({
    'GET /api/edit/games/3/awards': { body: { data: [], length: 0, total: 0 } },
    'GET /api/edit/games/3/corrections': { body: { data: [], length: 0, total: 0 } },
    'POST /api/edit/games/3/awards': { status: 404, body: { title: 'This team isn’t in the game', status: 404 } },
  })
  await openTeam()
  await user.click(await screen.findByRole('button', { name: 'Add or deduct points' }))
  await user.type(screen.getByRole('spinbutton', { name: 'Points' }), '5')
  const reason = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Reason' })
  await user.type(reason, 'A talk')
  await user.click(screen.getByRole('button', { name: 'Give points' }))
  await waitFor(() => expect(screen.getByText('This team isn’t in the game')).toBeTruthy())
  expect(reason.value).toBe('A talk')
})

it('the dialog revokes a solve with a reason, and can undo the revocation', async () => {
  const asked = storing([])
  await openTeam()
  await user.click(await screen.findByRole('button', { name: 'Correct a solve' }))
  const dialog = screen.getByRole('dialog', { name: 'Solve of Crew' })
  expect(within(dialog).getByLabelText('Time of the solve (empty: now)')).toBeTruthy()
  await user.click(within(dialog).getByRole('radio', { name: 'Take a solve back' }))
  expect(within(dialog).queryByLabelText('Time of the solve (empty: now)')).toBeNull()
  await user.click(within(dialog).getByRole('button', { name: 'Take a solve back' }))
  expect(
    within(dialog)
      .getAllByRole('alert')
      .map(({ textContent }) => textContent),
  ).toContain('Choose a challenge.')
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Challenge' }), 'Ropes')
  await user.type(within(dialog).getByRole('textbox', { name: 'Reason' }), 'Shared a flag')
  await user.click(within(dialog).getByRole('button', { name: 'Take a solve back' }))
  await screen.findByText('Shared a flag')
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({
    ...{ teamId: 101, challengeId: 9, kind: 'TakenBack', reason: 'Shared a flag' },
  })
  await user.click(await findClickable('Undo'))
  await screen.findByText(/Revoked by pilot/)
})

it('the corrections page lists corrections of solves, and revokes one only after confirmation', async () => {
  storing([], [correction])
  await openPage()
  const row = await screen.findByRole('row', { name: /Wrong flag/ })
  expect(within(row).getByText('Taken back')).toBeTruthy()
  await user.click(within(row).getByRole('button', { name: 'Revoke the correction of Ropes for Crew' }))
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Revoke' }))
  await screen.findByText(/Revoked by pilot/)
})
