import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { show } from '../../testing/render.tsx'
import { answering } from '../../testing/server.ts'
import { LoginForm } from './login-form.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'

const user = userEvent.setup()
const refusal = (code: string, title: string, status = 400) => ({ status, body: { title, status, code, detail: '/code' } })

it('sets up an authenticator app, and shows the recovery codes once', async () => {
  let factor = { hasPassword: true, enabledAt: null as number | null, recoveryCodes: 0 }
  const asked = answering({
    'GET /api/account/second-factor': () => ({ body: factor }),
    'POST /api/account/second-factor/totp': {
      body: { secret: 'JBSWY3DPEHPK3PXP', address: 'otpauth://totp/x', picture: '<svg/>', setup: 'sealed' },
    },
    'PUT /api/account/second-factor/totp': () => {
      factor = { hasPassword: true, enabledAt: Date.UTC(2030, 0, 1), recoveryCodes: 2 }
      return { body: { codes: ['aaaa-bbbb', 'cccc-dddd'] } }
    },
  })
  await show(<SecondFactorSection />, { areas: ['account'] })
  await user.click(await screen.findByRole('button', { name: 'Set up an authenticator app' }))
  await user.type(screen.getByLabelText('Current password'), 'Correct1horse{Enter}')
  await screen.findByRole('img', { name: 'QR code for authenticator apps' })
  expect(screen.getByText('JBSWY3DPEHPK3PXP')).toBeTruthy()
  await user.type(screen.getByRole('textbox', { name: 'Code' }), '123456{Enter}')
  await screen.findByText('cccc-dddd')
  expect(asked.filter(({ method }) => method !== 'GET').map(({ body }) => body)).toEqual([
    { password: 'Correct1horse' },
    { setup: 'sealed', code: '123456' },
  ])
  await user.click(screen.getByRole('button', { name: 'I have saved them' }))
  await screen.findByText('2 recovery codes left')
  expect(screen.queryByText('cccc-dddd')).toBeNull()
})

it('is hidden for an account without a password', async () => {
  answering({ 'GET /api/account/second-factor': { body: { hasPassword: false, enabledAt: null, recoveryCodes: 0 } } })
  const { container } = await show(<SecondFactorSection />, { areas: ['account'] })
  expect(container.textContent).not.toContain('Second factor')
})

it('removes the factor with the password', async () => {
  const asked = answering({
    'GET /api/account/second-factor': { body: { hasPassword: true, enabledAt: Date.UTC(2030, 0, 1), recoveryCodes: 9 } },
    'POST /api/account/second-factor/removal': { body: undefined },
  })
  await show(<SecondFactorSection />, { areas: ['account'] })
  await user.click(await screen.findByRole('button', { name: 'Remove second factor' }))
  await user.type(screen.getByLabelText('Current password'), 'Correct1horse{Enter}')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({ password: 'Correct1horse' })
})

it('asks for a code after the password, and logs in after the right one', async () => {
  const codes = ['000000']
  answering({
    'GET /api/captcha': { body: { type: 'None', siteKey: '' } },
    'POST /api/account/login': refusal('login.second-factor', 'This account has a second factor', 401),
    'POST /api/account/login/code': ({ body }) =>
      codes.includes((body as { code: string }).code) ? refusal('second-factor.wrong', 'The code is wrong') : { body: undefined },
  })
  const onLoggedIn = vi.fn(async () => {})
  await show(<LoginForm onLoggedIn={onLoggedIn} />, { areas: ['account'] })
  await user.type(screen.getByRole('textbox', { name: 'Username or email' }), 'mira')
  await user.type(screen.getByLabelText('Password'), 'Correct1horse{Enter}')
  const field = await screen.findByRole('textbox', { name: 'Code' })
  await user.type(field, '000000{Enter}')
  await screen.findByText('The code is wrong')
  expect(onLoggedIn).not.toHaveBeenCalled()
  await user.clear(field)
  await user.type(field, '123456{Enter}')
  await expect.poll(() => onLoggedIn.mock.calls.length).toBe(1)
})
