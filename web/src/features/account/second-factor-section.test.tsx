import type { SecondFactor } from '@capstan/contract/second-factor'
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { LoginForm } from './login-form.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'

vi.mock('@simplewebauthn/browser', () => ({ startAuthentication: vi.fn(), startRegistration: vi.fn() }))

const none: SecondFactor = {
  hasPassword: true,
  enabledAt: null,
  recoveryCodes: 0,
  passkeys: [],
  isMissing: false,
  canAddPasskeys: true,
}
const user = userEvent.setup()
function refusal(code: string, title: string, status = 400) {
  return { status, body: { title, status, code, detail: '/code' } }
}

it('the user sets up an authenticator app, and sees the recovery codes once', async () => {
  let factor: SecondFactor = none
  const asked = simulateServer({
    'GET /api/account/second-factor': () => ({ body: factor }),
    'POST /api/account/second-factor/totp': {
      body: { secret: 'JBSWY3DPEHPK3PXP', address: 'otpauth://totp/x', picture: '<svg/>', setup: 'sealed' },
    },
    'PUT /api/account/second-factor/totp': () => {
      factor = { ...none, enabledAt: Date.UTC(2030, 0, 1), recoveryCodes: 2 }
      return { body: { codes: ['aaaa-bbbb', 'cccc-dddd'] } }
    },
  })
  await renderInApp(<SecondFactorSection />, { areas: ['account'] })
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

it('the section for second factors is hidden if the account has no password', async () => {
  simulateServer({ 'GET /api/account/second-factor': { body: { ...none, hasPassword: false } } })
  const { container } = await renderInApp(<SecondFactorSection />, { areas: ['account'] })
  expect(container.textContent).not.toContain('Second factor')
})

it('the section for second factors removes the second factor after asking for the password and a code', async () => {
  const asked = simulateServer({
    'GET /api/account/second-factor': { body: { ...none, enabledAt: Date.UTC(2030, 0, 1), recoveryCodes: 9 } },
    'POST /api/account/second-factor/removal': { body: undefined },
  })
  await renderInApp(<SecondFactorSection />, { areas: ['account'] })
  await user.click(await screen.findByRole('button', { name: 'Remove the app' }))
  await user.type(screen.getByLabelText('Current password'), 'Correct1horse')
  const field = screen.getByRole('textbox', { name: 'Code' })
  const confirm = within(screen.getByRole('dialog')).getByRole('button', { name: 'Remove the app' })
  await user.click(confirm)
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
  expect(asked.some(({ method }) => method === 'POST')).toBe(false)
  await user.type(field, '123456')
  await user.click(confirm)
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({ password: 'Correct1horse', code: '123456' })
})

it('the login asks for a code after the password, and accepts the right code', async () => {
  const codes = ['000000']
  simulateServer({
    'GET /api/captcha': { body: { type: 'None', siteKey: '' } },
    'POST /api/account/login': refusal('login.second-factor', 'This account has a second factor', 401),
    'POST /api/account/login/factors': { body: { passkey: null } },
    'POST /api/account/login/code': ({ body }) =>
      codes.includes((body as { code: string }).code) ? refusal('second-factor.wrong', 'The code is wrong') : { body: undefined },
  })
  const onLoggedIn = vi.fn(async () => {})
  await renderInApp(<LoginForm onLoggedIn={onLoggedIn} />, { areas: ['account'] })
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

it('the section for second factors warns the user if the account needs a second factor for its role but has none', async () => {
  simulateServer({ 'GET /api/account/second-factor': { body: { ...none, isMissing: true } } })
  await renderInApp(<SecondFactorSection />, { areas: ['account'] })
  await screen.findByText('Your role needs a second factor. Until you set one up, you have the rights of a player.')
})

describe('passkeys', () => {
  beforeEach(() => {
    vi.mocked(startRegistration).mockReset()
    vi.mocked(startAuthentication).mockReset()
  })

  it('a user confirms a new passkey with the password, and gets recovery codes for the first passkey', async () => {
    vi.mocked(startRegistration).mockResolvedValue({ id: 'key' } as RegistrationResponseJSON)
    let factor = none
    const asked = simulateServer({
      'GET /api/account/second-factor': () => ({ body: factor }),
      'POST /api/account/second-factor/passkeys/options': { body: { options: '{"challenge":"c"}', setup: 'sealed' } },
      'POST /api/account/second-factor/passkeys': () => {
        factor = { ...none, recoveryCodes: 1, passkeys: [{ id: 'a', name: 'Laptop', createdAt: 0, lastUsedAt: null }] }
        return { body: { codes: ['aaaa-bbbb'] } }
      },
    })
    await renderInApp(<SecondFactorSection />, { areas: ['account'] })
    await user.click(await screen.findByRole('button', { name: 'Add a passkey' }))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Laptop')
    await user.type(screen.getByLabelText('Current password'), 'Correct1horse')
    await user.click(screen.getByRole('button', { name: 'Next' }))
    await screen.findByText('aaaa-bbbb')
    expect(vi.mocked(startRegistration).mock.calls).toEqual([[{ optionsJSON: { challenge: 'c' } }]])
    expect(asked.filter(({ method }) => method !== 'GET').map(({ body }) => body)).toEqual([
      { password: 'Correct1horse' },
      { setup: 'sealed', answer: '{"id":"key"}', name: 'Laptop' },
    ])
    await user.click(screen.getByRole('button', { name: 'I have saved them' }))
    await screen.findByText('never used')
    screen.getByRole('button', { name: 'Remove “Laptop”' })
  })

  it('the section for second factors removes a passkey after the user confirms with the password and a passkey', async () => {
    vi.mocked(startAuthentication).mockResolvedValue({ id: 'key' } as AuthenticationResponseJSON)
    const asked = simulateServer({
      'GET /api/account/second-factor': {
        body: { ...none, recoveryCodes: 1, passkeys: [{ id: 'a', name: 'Laptop', createdAt: 0, lastUsedAt: null }] },
      },
      'POST /api/account/second-factor/challenge': { body: { passkey: { options: '{}', challenge: 'sealed' } } },
      'POST /api/account/second-factor/passkeys/a/removal': { body: undefined },
    })
    await renderInApp(<SecondFactorSection />, { areas: ['account'] })
    await user.click(await screen.findByRole('button', { name: 'Remove “Laptop”' }))
    await user.type(screen.getByLabelText('Current password'), 'Correct1horse')
    await user.click(screen.getByRole('button', { name: 'Use a passkey' }))
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    expect(asked.findLast(({ method }) => method === 'POST')?.body).toEqual({
      password: 'Correct1horse',
      passkey: { challenge: 'sealed', answer: '{"id":"key"}' },
    })
  })

  it('the section for second factors adds no passkey if the user cancels, and reports that no passkey was used', async () => {
    vi.mocked(startRegistration).mockRejectedValue(new DOMException('cancelled', 'NotAllowedError'))
    simulateServer({
      'GET /api/account/second-factor': { body: none },
      'POST /api/account/second-factor/passkeys/options': { body: { options: '{}', setup: 'sealed' } },
    })
    await renderInApp(<SecondFactorSection />, { areas: ['account'] })
    await user.click(await screen.findByRole('button', { name: 'Add a passkey' }))
    await user.type(screen.getByLabelText('Current password'), 'Correct1horse')
    await user.click(screen.getByRole('button', { name: 'Next' }))
    await screen.findByText('The passkey was not used. Try again, or use a code.')
  })

  it('the section offers no passkeys without a public address of the platform, and names the setting', async () => {
    simulateServer({ 'GET /api/account/second-factor': { body: { ...none, canAddPasskeys: false } } })
    await renderInApp(<SecondFactorSection />, { areas: ['account'] })
    await screen.findByText(/Ask the operator to set CAPSTAN_PUBLIC_ORIGIN/)
    expect(screen.queryByRole('button', { name: 'Add a passkey' })).toBeNull()
  })

  it('the login asks for a passkey after the password, and requests a new WebAuthn challenge for each attempt', async () => {
    vi.mocked(startAuthentication)
      .mockRejectedValueOnce(new DOMException('cancelled', 'NotAllowedError'))
      .mockResolvedValue({ id: 'key' } as AuthenticationResponseJSON)
    let challenges = 0
    const asked = simulateServer({
      'GET /api/captcha': { body: { type: 'None', siteKey: '' } },
      'POST /api/account/login': refusal('login.second-factor', 'This account has a second factor', 401),
      'POST /api/account/login/factors': () => {
        challenges += 1
        return { body: { passkey: { options: '{}', challenge: `sealed ${challenges}` } } }
      },
      'POST /api/account/login/passkey': { body: undefined },
    })
    const onLoggedIn = vi.fn(async () => {})
    await renderInApp(<LoginForm onLoggedIn={onLoggedIn} />, { areas: ['account'] })
    await user.type(screen.getByRole('textbox', { name: 'Username or email' }), 'mira')
    await user.type(screen.getByLabelText('Password'), 'Correct1horse{Enter}')
    const button = await screen.findByRole('button', { name: 'Use a passkey' })
    await user.click(button)
    await screen.findByText('The passkey was not used. Try again, or use a code.')
    await user.click(button)
    await expect.poll(() => onLoggedIn.mock.calls.length).toBe(1)
    expect(asked.find(({ address }) => address === '/api/account/login/passkey')?.body).toEqual({
      challenge: 'sealed 3',
      answer: '{"id":"key"}',
    })
  })
})
