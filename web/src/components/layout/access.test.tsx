import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { RequireRole } from './access.tsx'

function profile(role: string) {
  return { userId: '00000000-0000-4000-8000-000000000001', userName: 'mira', role }
}

it('shows the screen for a missing permission with a heading of level 1', async () => {
  simulateServer({ 'GET /api/account/profile': { body: profile('User') } })
  await show(<RequireRole atLeast="Admin">secret</RequireRole>)
  expect(await screen.findByRole('heading', { level: 1 })).toBeTruthy()
  expect(screen.queryByText('secret')).toBeNull()
})

it('shows a failed session check with a heading of level 1', async () => {
  simulateServer({ 'GET /api/account/session': { status: 500, body: { title: 'Something went wrong', status: 500 } } })
  await show(<RequireRole atLeast="Admin">secret</RequireRole>)
  expect(await screen.findByRole('heading', { level: 1, name: 'Could not load this' })).toBeTruthy()
  expect(screen.queryByText('secret')).toBeNull()
})

it('adds no second heading of level 1 if the page already has one', async () => {
  simulateServer({ 'GET /api/account/profile': { status: 403, body: { title: 'User has been banned', status: 403 } } })
  await show(
    <>
      <h1>Challenges</h1>
      <RequireRole isInPage>secret</RequireRole>
    </>,
  )
  await screen.findByRole('heading', { level: 2 })
  expect(screen.getAllByRole('heading', { level: 1 })).toHaveLength(1)
})

it('sends no request for the profile if the visitor is not logged in', async () => {
  const asked = simulateServer({ 'GET /api/account/session': { body: { profile: null } } })
  const page = await show(<RequireRole>secret</RequireRole>, { at: '/teams', pattern: '/teams' })
  await screen.findByText('at another page')
  expect(page.address()).toMatch(/login/)
  expect(asked.map(({ address }) => address)).toEqual(['/api/account/session'])
})
