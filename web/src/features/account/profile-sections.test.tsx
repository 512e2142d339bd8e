import type { UserProfile } from '@capstan/contract/accounts'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { EmailSection } from './email-section.tsx'
import { IdentitySection } from './identity-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { PublicPageSection } from './public-page-section.tsx'

const user = userEvent.setup()
beforeEach(() => sessionStorage.clear())

it('the profile page shows to which address the link was sent, even if the user edits the field afterwards', async () => {
  simulateServer({
    'GET /api/account/mail': { body: { isRefused: false, canChange: true } },
    'PUT /api/account/changeemail': { body: { data: true } },
  })
  await renderInApp(<EmailSection email="mira@example.org" />, { areas: ['account'] })
  const field = await screen.findByRole('textbox')
  await user.type(field, 'mira@example.com{Enter}')
  expect((await screen.findByText(/mira@example\.com/)).textContent).toBeTruthy()
  await user.type(field, 'x')
  expect(screen.getByText(/mira@example\.com(?!x)/)).toBeTruthy()
})

it('the profile page reports that a mail to the address was refused, and advises to change the address', async () => {
  simulateServer({ 'GET /api/account/mail': { body: { isRefused: true, canChange: true } } })
  await renderInApp(<EmailSection email="mira@example.org" />, { areas: ['account'] })
  await screen.findByText('Mail to this address is refused')
  await screen.findByText(/refused our last mail to mira@example\.org\. Change the address below/)
})

it('the profile page offers a link for a password if the account has none', async () => {
  simulateServer({ 'GET /api/account/second-factor': { body: { hasPassword: false } } })
  await renderInApp(<PasswordSection />, { areas: ['account'] })
  await screen.findByText(/Your account has no password/)
  expect(screen.getByRole('link').getAttribute('href')).toBe('/account/recovery')
  expect(screen.queryByLabelText('Current password')).toBeNull()
})

it('the form retains profile input during a reload', async () => {
  const profile = { userId: 'b4a0e7a2-0000-4000-8000-000000000001', userName: 'mira', realName: 'Mira Ito' } as UserProfile
  const open = () => renderInApp(<IdentitySection profile={profile} />, { areas: ['account'] })
  const { unmount } = await open()
  await user.type(screen.getByLabelText(/Real name/), '-Abel')
  unmount()
  await open()
  expect(screen.getByLabelText<HTMLInputElement>(/Real name/).value).toBe('Mira Ito-Abel')
})

it('the switch for the public page changes only after the server has accepted the change', async () => {
  let refuses = false
  const visibility = { hasPublicPage: true, teams: [] }
  const asked = simulateServer({
    'GET /api/profiles/own': { body: visibility },
    'PUT /api/profiles/own': () =>
      refuses ? { status: 500, body: { title: 'It failed', status: 500, code: 'server.error' } } : { body: undefined },
  })
  await renderInApp(<PublicPageSection userId="b4a0e7a2-0000-4000-8000-000000000001" />, { areas: ['account'] })
  const control = screen.getByRole<HTMLInputElement>('switch', { name: 'Show my public page' })
  await expect.poll(() => control.disabled).toBe(false)
  expect(control.checked).toBe(true)
  await user.click(control)
  await expect.poll(() => control.checked).toBe(false)
  expect(asked.find(({ method }) => method === 'PUT')?.body).toEqual({ hasPublicPage: false })
  refuses = true
  await user.click(control)
  expect((await screen.findByRole('alert')).textContent).toContain('It failed')
  expect(control.checked).toBe(false)
  expect(screen.getByRole('link', { name: 'View page' }).getAttribute('href')).toBe(
    '/players/b4a0e7a2-0000-4000-8000-000000000001',
  )
})
