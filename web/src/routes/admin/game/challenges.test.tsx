import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { gameOfChallenge } from '../../../testing/challenge.ts'
import { show } from '../../../testing/render.tsx'
import { answering } from '../../../testing/server.ts'
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
  }
}
const challenges = [brief(7, 'Buoy'), brief(8, 'Seal')]
const failing = { status: 500, body: { title: 'The server failed', status: 500, code: 'server.unexpected' } }

function showList(query = '') {
  return show(<Route />, {
    at: `/admin/games/3/challenges${query}`,
    pattern: '/admin/games/:id/challenges',
    areas: ['admin-challenges', 'admin-import', 'challenges', 'editing'],
  })
}

async function open(answers: Parameters<typeof answering>[0]) {
  const asked = answering({ ...gameOfChallenge, [`GET ${base}`]: { body: challenges }, ...answers })
  await showList()
  await screen.findByText('Buoy')
  return () => asked.filter(({ method }) => method === 'PUT').map(({ address, body }) => [address, body])
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

it('changes no labels that could not be read, reports each challenge, and retries', async () => {
  let isRead = false
  const stored = await open({
    [`GET ${base}/labels`]: () =>
      isRead
        ? {
            body: [
              { id: 7, tags: ['rope'], difficulty: 'easy' },
              { id: 8, tags: [], difficulty: 'hard' },
            ],
          }
        : failing,
    [`PUT ${base}/7/labels`]: { body: {} },
    [`PUT ${base}/8/labels`]: { body: {} },
  })
  await addTag()
  await waitFor(() => expect(results()).toEqual(['BuoyThe server failed', 'SealThe server failed']))
  expect(stored()).toEqual([])
  isRead = true
  await user.click(screen.getByRole('button', { name: 'Change 2 challenges' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(stored()).toEqual([
    [`${base}/7/labels`, { tags: ['rope', 'warm-up'], difficulty: 'easy' }],
    [`${base}/8/labels`, { tags: ['warm-up'], difficulty: 'hard' }],
  ])
})

it('adds a tag to labels that another organizer has stored since the page was read', async () => {
  let tags = ['rope']
  const stored = await open({
    [`GET ${base}/labels`]: () => ({ body: [{ id: 7, tags, difficulty: null }] }),
    [`PUT ${base}/7/labels`]: { body: {} },
  })
  await screen.findAllByText('rope')
  tags = ['rope', 'knot']
  await addTag()
  // The other challenge was deleted, so it has no labels.
  await waitFor(() => expect(results()).toEqual(['BuoyDone', 'SealThere is no such challenge']))
  expect(stored()).toEqual([[`${base}/7/labels`, { tags: ['rope', 'knot', 'warm-up'], difficulty: null }]])
})

it('retains results in the dialog although the challenge leaves the filtered list, and deselects it', async () => {
  await open({
    [`GET ${base}/labels`]: { body: [] },
    [`PUT ${base}/7`]: { body: { ...challenges[0], isEnabled: true } },
    [`PUT ${base}/8`]: { status: 400, body: { title: 'It has no flag', status: 400, code: 'challenge.no-flag' } },
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

it('stores the filter of challenges in the address', async () => {
  answering({ ...gameOfChallenge, [`GET ${base}`]: { body: [...challenges, { ...brief(9, 'Sail'), isEnabled: true }] } })
  const { address } = await showList('?shown=disabled&q=s')
  await screen.findByText('Seal')
  expect(screen.queryByText('Sail')).toBeNull()
  await user.click(screen.getByRole('radio', { name: /^All/ }))
  await screen.findByText('Sail')
  await user.type(screen.getByRole('searchbox'), 'ea')
  await waitFor(() => expect(address()).toBe('/admin/games/3/challenges?q=sea'))
  expect(screen.queryByText('Sail')).toBeNull()
})
