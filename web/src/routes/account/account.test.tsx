import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route as Login } from './login.tsx'
import { Route as Recovery } from './recovery.tsx'
import { Route as Register } from './register.tsx'
import { Route as Reset } from './reset.tsx'
import { Route as Verify } from './verify.tsx'

const user = userEvent.setup()
const visitor = {
  'GET /api/captcha': { body: { type: 'None', siteKey: '' } },
  'GET /api/account/profile': { status: 401, body: { title: 'Please log in first', status: 401, code: 'session.required' } },
}

describe('the login page', () => {
  it('the login returns to the page that the visitor came from', async () => {
    const asked = simulateServer({ ...visitor, 'POST /api/account/login': {} })
    const page = await renderInApp(<Login />, { at: '/login?from=%2Fgames%2F3', pattern: '/login', areas: ['account'] })
    await user.type(screen.getByRole('textbox', { name: 'Username or email' }), 'mira')
    await user.type(screen.getByLabelText('Password'), 'Secret1')
    await user.click(screen.getByRole('button', { name: 'Log in' }))
    await screen.findByText('at another page')
    expect(page.address()).toBe('/games/3')
    expect(asked.find((call) => call.method === 'POST')?.body).toEqual({ userName: 'mira', password: 'Secret1', challenge: null })
  })

  it('the login never redirects to another site', async () => {
    simulateServer({ ...visitor, 'POST /api/account/login': {} })
    const page = await renderInApp(<Login />, { at: '/login?from=%2F%2Fevil.example', pattern: '/login', areas: ['account'] })
    await user.type(screen.getByRole('textbox', { name: 'Username or email' }), 'mira')
    await user.type(screen.getByLabelText('Password'), 'Secret1{Enter}')
    await screen.findByText('at another page')
    expect(page.address()).toBe('/')
  })

  it.each(['Wrong username or password', 'User has been banned'])(
    'the login page shows the error "%s" and retains the input',
    async (title) => {
      simulateServer({ ...visitor, 'POST /api/account/login': { status: 401, body: { title, status: 401 } } })
      await renderInApp(<Login />, { areas: ['account'] })
      const name = screen.getByRole<HTMLInputElement>('textbox', { name: 'Username or email' })
      await user.type(name, 'mira')
      await user.type(screen.getByLabelText('Password'), 'nope{Enter}')
      expect((await screen.findByRole('alert')).textContent).toBe(title)
      expect(name.value).toBe('mira')
    },
  )

  it('the login page sends no request if a field is empty', async () => {
    const asked = simulateServer(visitor)
    await renderInApp(<Login />, { areas: ['account'] })
    await user.click(screen.getByRole('button', { name: 'Log in' }))
    expect(screen.getAllByRole('alert').map((alert) => alert.textContent)).toEqual([
      "Content can't be empty",
      "Content can't be empty",
    ])
    expect(asked.some((call) => call.method === 'POST')).toBe(false)
  })
})

describe('the registration page', () => {
  const fill = async (password: string, repeated: string) => {
    await user.type(screen.getByRole('textbox', { name: 'Username' }), 'mira')
    await user.type(screen.getByRole('textbox', { name: 'Email' }), 'mira@example.org')
    await user.type(screen.getByLabelText('Password'), password)
    await user.type(screen.getByLabelText('Repeat password'), repeated)
    await user.click(screen.getByRole('button', { name: 'Create account' }))
  }
  const outcome = (data: string) => ({ ...visitor, 'POST /api/account/register': { body: { title: '', data, status: 200 } } })

  const refused = (code: string, title: string) => ({
    ...visitor,
    'POST /api/account/register': { status: 400, body: { title, status: 400, code } },
  })
  const said = (name: string) => {
    const described = screen.getByLabelText(name).getAttribute('aria-describedby') ?? ''
    return described.split(' ').map((id) => document.getElementById(id)?.textContent ?? '')
  }

  it.each([
    ['email.taken', 'Email', 'This email address is already in use'],
    ['username.taken', 'Username', 'This username is already in use, or looks like one that is'],
    ['password.weak', 'Password', 'The password needs at least 6 characters'],
  ])('the registration page shows the error %s only at the field %s', async (code, name, title) => {
    simulateServer(refused(code, title))
    await renderInApp(<Register />, { pattern: '/', areas: ['account'] })
    await fill('Secret1', 'Secret1')
    expect((await screen.findAllByRole('alert')).map((alert) => alert.textContent)).toEqual([title])
    expect(said(name)).toContain(title)
    expect(said('Repeat password')).not.toContain(title)
  })

  it('the registration page shows an error above the button if it concerns no field', async () => {
    simulateServer(refused('register.closed', 'Registration is closed'))
    await renderInApp(<Register />, { pattern: '/', areas: ['account'] })
    await fill('Secret1', 'Secret1')
    expect((await screen.findByRole('alert')).textContent).toBe('Registration is closed')
  })

  it.each([
    ['mi', 'At least 3 characters'],
    ['m'.repeat(16), 'At most 15 characters'],
  ])('shows which rule the username %s violates', async (name, rule) => {
    const asked = simulateServer(visitor)
    await renderInApp(<Register />, { pattern: '/', areas: ['account'] })
    await user.type(screen.getByRole('textbox', { name: 'Username' }), name)
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    expect(said('Username')).toContain(rule)
    expect(asked.some((call) => call.method === 'POST')).toBe(false)
  })

  it('the registration page continues immediately if the server responds with LoggedIn', async () => {
    simulateServer(outcome('LoggedIn'))
    const page = await renderInApp(<Register />, { at: '/register?from=%2Fteams', pattern: '/register', areas: ['account'] })
    await fill('Secret1', 'Secret1')
    await screen.findByText('at another page')
    expect(page.address()).toBe('/teams')
  })

  it.each([
    ['AdminConfirmationRequired', 'Waiting for approval'],
    ['EmailConfirmationRequired', 'Check your email'],
  ])('the registration page shows a text for the response %s: "%s"', async (data, text) => {
    simulateServer(outcome(data))
    await renderInApp(<Register />, { areas: ['account'] })
    await fill('Secret1', 'Secret1')
    expect(await screen.findByText(text)).toBeTruthy()
  })

  it('the registration page requires a strong password that is typed twice', async () => {
    const asked = simulateServer(outcome('LoggedIn'))
    await renderInApp(<Register />, { areas: ['account'] })
    await fill('secret', 'Secret1')
    expect(screen.getByText('The repeated password is incorrect')).toBeTruthy()
    expect(screen.getAllByRole('alert').map((alert) => alert.textContent)).toContain('An uppercase letter')
    const rules = screen.getByRole('list', { name: 'Password requirements' })
    expect([...rules.querySelectorAll('[data-met=true]')].map((rule) => rule.textContent)).toEqual([
      'At least 6 charactersmet',
      'A lowercase lettermet',
    ])
    expect(asked.some((call) => call.method === 'POST')).toBe(false)
  })
})

describe('the page that a mailed link opens', () => {
  // Base64 of mira@example.org.
  const email = 'bWlyYUBleGFtcGxlLm9yZw=='

  it('the page activates the account with the unchanged token and address of the link', async () => {
    const asked = simulateServer({ ...visitor, 'POST /api/account/verify': {} })
    await renderInApp(<Verify />, {
      at: `/verify?token=dG9r&email=${encodeURIComponent(email)}`,
      pattern: '/verify',
      areas: ['account'],
    })
    expect(screen.getByText(/mira@example\.org/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Activate account' }))
    await screen.findByText('at another page')
    expect(asked.find((call) => call.method === 'POST')?.body).toEqual({ token: 'dG9r', email })
  })

  /** Activates the account on the page. @param hasPassword true if the activated account has a password */
  async function activate(profile: object | null, hasPassword = true) {
    simulateServer({
      ...visitor,
      'GET /api/account/session': { body: { profile } },
      'GET /api/account/identities': { body: { hasPassword, identities: [] } },
      'POST /api/account/verify': {},
    })
    const at = `/verify?token=dG9r&email=${encodeURIComponent(email)}`
    const page = await renderInApp(<Verify />, { at, pattern: '/verify', areas: ['account'] })
    await user.click(screen.getByRole('button', { name: 'Activate account' }))
    return page
  }

  it('the page offers a link for a password if the activated account has none', async () => {
    await activate({ userName: 'mira' }, false)
    await screen.findByText('Your account has no password.')
    const link = screen.getByRole('link', { name: 'Request a link to set one' })
    expect(link.getAttribute('href')).toBe('/account/recovery')
  })

  it.each([
    ['home page if the activation opens a session', { userName: 'mira' }, '/'],
    ['login page if the activation opens no session', null, '/account/login'],
  ])('after the activation, the page opens the %s', async (_, profile, address) => {
    const page = await activate(profile)
    await screen.findByText('at another page')
    expect(page.address()).toBe(address)
  })

  it('the page reports a damaged link if the link contains no email address', async () => {
    simulateServer(visitor)
    await renderInApp(<Verify />, { at: '/verify?token=dG9r', pattern: '/verify', areas: ['account'] })
    expect(screen.getByText("Ouch! There's something wrong with your activation link")).toBeTruthy()
    expect(screen.getByText('Please check your activation link and try again')).toBeTruthy()
  })

  it('the page resets the password with the unchanged token and address of the link', async () => {
    const asked = simulateServer({ ...visitor, 'POST /api/account/passwordreset': {} })
    await renderInApp(<Reset />, {
      at: `/reset?token=dG9r&email=${encodeURIComponent(email)}`,
      pattern: '/reset',
      areas: ['account'],
    })
    await user.type(screen.getByLabelText('New password'), 'Secret1')
    await user.type(screen.getByLabelText('Repeat password'), 'Secret1')
    await user.click(screen.getByRole('button', { name: 'Set password' }))
    await screen.findByText('at another page')
    expect(asked.find((call) => call.method === 'POST')?.body).toEqual({ password: 'Secret1', rToken: 'dG9r', email })
  })
})

describe('the page for a forgotten password', () => {
  const options = (recovery: boolean) => ({ 'GET /api/account/signin': { body: { passwords: true, recovery, providers: [] } } })

  it('the page offers a link by mail if the platform sends links', async () => {
    simulateServer({ ...visitor, ...options(true) })
    await renderInApp(<Recovery />, { areas: ['account'] })
    expect(await screen.findByRole('button', { name: 'Send link' })).toBeTruthy()
  })

  it('the page refers to an admin if the platform sends no links', async () => {
    simulateServer({ ...visitor, ...options(false) })
    await renderInApp(<Recovery />, { areas: ['account'] })
    await screen.findByText('On this site, only an admin can reset your password.')
    expect(screen.queryByRole('button', { name: 'Send link' })).toBeNull()
  })
})
