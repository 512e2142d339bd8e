import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { aChallenge, createFullTestChallenge, gameOfChallenge } from '../../../testing/challenge.ts'
import { renderInApp } from '../../../testing/render.tsx'
import { type ReceivedCall, simulateServer } from '../../../testing/server.ts'
import { Route } from './challenges.tsx'

const user = userEvent.setup()
const base = '/api/edit/games/3/challenges'
function brief(id: number, title: string) {
  return {
    id,
    title,
    category: 'Web',
    type: 'StaticAttachment',
    isEnabled: false,
    score: 500,
    minScore: 100,
    originalScore: 500,
    releaseUtc: null,
    isReleased: true,
    deadlineUtc: null,
  }
}
const challenges = [brief(7, 'Buoy'), brief(8, 'Seal')]
const failing = { status: 500, body: { title: 'The server failed', status: 500, code: 'server.unexpected' } }

/** Simulates a call that changes single challenges. It returns `failure` for the challenge Seal. */
function changing(failure: () => Readonly<{ status: number; body: object }> | undefined) {
  return ({ body }: ReceivedCall) => {
    const [id] = (body as { readonly challenges: number[] }).challenges
    const { title } = challenges.find((each) => each.id === id) ?? brief(0, '')
    return (id === 8 && failure()) || { body: [{ ...createFullTestChallenge(aChallenge({ title, enabled: true })), id }] }
  }
}

function showList(query = '') {
  return renderInApp(<Route />, {
    at: `/admin/games/3/challenges${query}`,
    pattern: '/admin/games/:id/challenges',
    areas: ['admin-challenges', 'admin-import', 'challenges', 'editing'],
  })
}

async function open(answers: Parameters<typeof simulateServer>[0]) {
  const asked = simulateServer({ ...gameOfChallenge, [`GET ${base}`]: { body: challenges }, ...answers })
  await showList()
  await screen.findByText('Buoy')
  return () => asked.filter(({ method }) => method === 'POST').map(({ address, body }) => [address, body])
}

function results() {
  return within(screen.getByRole('list', { name: 'Selection and results' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
}

async function addTag() {
  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(screen.getByRole('button', { name: 'Category and labels' }))
  await user.type(await screen.findByRole('combobox', { name: 'Add tags' }), 'warm-up,')
  await user.click(screen.getByRole('button', { name: 'Change 2 challenges' }))
}

it('the dialog adds tags to each challenge, shows failures, and retries only the failed ones', async () => {
  let isUp = false
  const stored = await open({
    [`POST ${base}/change`]: changing(() => (isUp ? undefined : failing)),
  })
  await addTag()
  await waitFor(() => expect(results()).toEqual(['BuoyDone', 'SealThe server failed']))
  isUp = true
  await user.click(screen.getByRole('button', { name: 'Change 1 challenge' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  const change = { addTags: ['warm-up'] }
  expect(stored()).toEqual([7, 8, 8].map((id) => [`${base}/change`, { challenges: [id], change }]))
})

it('the challenges page deselects a challenge that leaves the filtered list, but the dialog retains its result', async () => {
  await open({
    [`GET ${base}/labels`]: { body: [] },
    [`POST ${base}/change`]: changing(() => ({
      status: 400,
      body: { title: 'It has no flag', status: 400, code: 'challenge.no-flag' },
    })),
  })
  await user.click(screen.getByRole('radio', { name: 'Disabled 2' }))
  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(screen.getByRole('button', { name: 'Enable' }))
  await user.click(await screen.findByRole('button', { name: 'Enable 2 challenges' }))
  await screen.findByText('It has no flag')
  expect(results()).toEqual(['BuoyDone', 'SealIt has no flag'])
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(await screen.findByRole('radio', { name: 'All 2' }))
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select Buoy' }).checked).toBe(false)
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select Seal' }).checked).toBe(true)
})

it('the address stores the filter of challenges', async () => {
  simulateServer({ ...gameOfChallenge, [`GET ${base}`]: { body: [...challenges, { ...brief(9, 'Sail'), isEnabled: true }] } })
  const { address } = await showList('?shown=disabled&q=s')
  await screen.findByText('Seal')
  expect(screen.queryByText('Sail')).toBeNull()
  await user.click(screen.getByRole('radio', { name: /^All/ }))
  await screen.findByText('Sail')
  await user.type(screen.getByRole('searchbox'), 'ea')
  await waitFor(() => expect(address()).toBe('/admin/games/3/challenges?q=sea'))
  expect(screen.queryByText('Sail')).toBeNull()
})
