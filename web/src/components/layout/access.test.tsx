import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { RoleGate } from './access.tsx'

function profile(role: string) {
  return { userId: '00000000-0000-4000-8000-000000000001', userName: 'mira', role }
}

it('the screen for a missing permission has a heading of level 1', async () => {
  simulateServer({ 'GET /api/account/profile': { body: profile('User') } })
  await renderInApp(<RoleGate atLeast="Admin">secret</RoleGate>)
  expect(await screen.findByRole('heading', { level: 1 })).toBeTruthy()
  expect(screen.queryByText('secret')).toBeNull()
})

it('the screen for a failed session check has a heading of level 1', async () => {
  simulateServer({ 'GET /api/account/session': { status: 500, body: { title: 'Something went wrong', status: 500 } } })
  await renderInApp(<RoleGate atLeast="Admin">secret</RoleGate>)
  expect(await screen.findByRole('heading', { level: 1, name: 'Could not load this' })).toBeTruthy()
  expect(screen.queryByText('secret')).toBeNull()
})

it('no second heading of level 1 appears if the page already has one', async () => {
  simulateServer({ 'GET /api/account/profile': { status: 403, body: { title: 'User has been banned', status: 403 } } })
  await renderInApp(
    <>
      <h1>Challenges</h1>
      <RoleGate isInPage>secret</RoleGate>
    </>,
  )
  await screen.findByRole('heading', { level: 2 })
  expect(screen.getAllByRole('heading', { level: 1 })).toHaveLength(1)
})

it('the page does not request the profile if the visitor is not logged in', async () => {
  const asked = simulateServer({ 'GET /api/account/session': { body: { profile: null } } })
  const page = await renderInApp(<RoleGate>secret</RoleGate>, { at: '/teams', pattern: '/teams' })
  await screen.findByText('at another page')
  expect(page.address()).toMatch(/login/)
  expect(asked.map(({ address }) => address)).toEqual(['/api/account/session'])
})
