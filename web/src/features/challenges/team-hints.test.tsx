import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { TeamHints } from './team-hints.tsx'

const user = userEvent.setup()
const id = '11111111-1111-4111-8111-111111111111'
const address = `POST /api/game/3/challenges/7/hints/${id}`
const challenge = { id: 7, hints: ['Look down.'], hintOffers: [{ id, price: 50 }] }

async function ask() {
  await renderInApp(<TeamHints gameId={3} challenge={challenge} score={120} />, { areas: ['challenges'] })
  await user.click(screen.getByText('2 hints'))
  await user.click(screen.getByRole('button', { name: 'Buy for 50 points' }))
  return screen.findByRole('alertdialog', { name: 'Buy this hint for 50 points?' })
}

it('the team buys a hint at the shown price only after a confirmation', async () => {
  const asked = simulateServer({ [address]: { body: { text: 'Six feet.', price: 50 } } })
  const question = await ask()
  expect(within(question).getByText(/drops from 120 to 70/)).toBeTruthy()
  await user.click(within(question).getByRole('button', { name: 'Cancel' }))
  expect(asked).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Buy for 50 points' }))
  await user.click(await screen.findByRole('button', { name: 'Buy hint' }))
  await expect.poll(() => screen.queryByRole('alertdialog')).toBeNull()
  expect(asked.filter(({ method }) => method === 'POST')).toMatchObject([{ body: { price: 50 } }])
})

it('the dialog shows why the team cannot buy a hint', async () => {
  simulateServer({
    [address]: { status: 400, body: { status: 400, code: 'hint.points', title: 'Your team has too few points' } },
  })
  const question = await ask()
  await user.click(within(question).getByRole('button', { name: 'Buy hint' }))
  expect((await within(question).findByRole('alert')).textContent).toContain('too few points')
})
