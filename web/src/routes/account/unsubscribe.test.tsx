import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { GameMailSection } from '../../features/account/game-mail-section.tsx'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route } from './unsubscribe.tsx'

const user = userEvent.setup()

function open(token: string) {
  return renderInApp(<Route />, {
    at: `/account/unsubscribe?token=${token}`,
    pattern: '/account/unsubscribe',
    areas: ['account'],
  })
}

it('the unsubscribe page stops emails only after a click, and links to the profile', async () => {
  const asked = simulateServer({ 'POST /api/account/gamemail/unsubscribe': {} })
  await open('v1.a.b')
  expect(asked.some(({ method }) => method === 'POST')).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Unsubscribe' }))
  await screen.findByText('You are unsubscribed')
  expect(screen.getByRole('link', { name: 'Open profile' }).getAttribute('href')).toBe('/account/profile')
  expect(asked.find(({ method }) => method === 'POST')?.address).toContain('token=v1.a.b')
})

it('the unsubscribe page shows that a link is invalid', async () => {
  const title = 'This unsubscribe link is invalid'
  simulateServer({
    'POST /api/account/gamemail/unsubscribe': { status: 400, body: { title, status: 400, code: 'email.unsubscribe' } },
  })
  await open('forged')
  await user.click(screen.getByRole('button', { name: 'Unsubscribe' }))
  expect((await screen.findByRole('alert')).textContent).toContain(title)
})

it('a switch in the profile turns emails from games on again', async () => {
  const asked = simulateServer({
    'GET /api/account/gamemail': { body: { hasGameMail: false } },
    'PUT /api/account/gamemail': { body: undefined },
  })
  await renderInApp(<GameMailSection />, { areas: ['account'] })
  const control = screen.getByRole<HTMLInputElement>('switch', { name: 'Get emails from games' })
  await expect.poll(() => control.disabled).toBe(false)
  expect(control.checked).toBe(false)
  await user.click(control)
  await expect.poll(() => control.checked).toBe(true)
  expect(asked.find(({ method }) => method === 'PUT')?.body).toEqual({ hasGameMail: true })
})
