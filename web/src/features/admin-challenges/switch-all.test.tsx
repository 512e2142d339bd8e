import type { ChallengeBrief } from '@capstan/contract/challenges'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { answering } from '../../testing/server.ts'
import { SwitchAll } from './switch-all.tsx'

const user = userEvent.setup()
const challenges = [
  { id: 1, title: 'Anchor', isEnabled: true },
  { id: 2, title: 'Buoy', isEnabled: false },
  { id: 3, title: 'Capstan', isEnabled: false },
] as ChallengeBrief[]
const address = (id: number) => `PUT /api/edit/games/7/challenges/${id}`

const choose = async (name: RegExp) => {
  await show(<SwitchAll gameId={7} challenges={challenges} />, { areas: ['admin-challenges'] })
  await user.click(screen.getByRole('button', { name: 'Enable or disable' }))
  await user.click(await screen.findByRole('menuitem', { name }))
  return screen.findByRole('alertdialog')
}

it('enables what is not enabled yet; what the server refuses stays with its reason and can be tried again', async () => {
  let hasFlag = false
  const asked = answering({
    [address(2)]: { body: { ...challenges[1], isEnabled: true } },
    [address(3)]: () =>
      hasFlag
        ? { body: { ...challenges[2], isEnabled: true } }
        : { status: 400, body: { title: 'It has no flag', status: 400, code: 'challenge.no-flag' } },
  })
  const dialog = await choose(/Enable all shown/)
  expect(dialog.textContent).not.toContain('Anchor')
  await user.click(screen.getByRole('button', { name: 'Enable all shown' }))
  await screen.findByText(/It has no flag/)
  expect(asked.map(({ method, address, body }) => ({ method, address, body }))).toEqual([
    { method: 'PUT', address: '/api/edit/games/7/challenges/2', body: { isEnabled: true } },
    { method: 'PUT', address: '/api/edit/games/7/challenges/3', body: { isEnabled: true } },
  ])
  hasFlag = true
  await user.click(screen.getByRole('button', { name: 'Enable all shown' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(asked).toHaveLength(3)
})

it('asks before it disables, and does nothing when that is declined', async () => {
  const asked = answering({})
  const dialog = await choose(/Disable all shown/)
  expect(dialog.textContent).toContain('Anchor')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(asked).toEqual([])
})
