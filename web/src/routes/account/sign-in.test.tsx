import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { useToasts } from '../../components/ui/toast.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route as Login } from './login.tsx'
import { Route as Register } from './register.tsx'
import { Route as SignIn } from './sign-in.tsx'

const user = userEvent.setup()
const visitor = {
  'GET /api/captcha': { body: { type: 'None', siteKey: '' } },
  'GET /api/account/profile': { status: 401, body: { title: 'Please log in first', status: 401, code: 'session.required' } },
}
const campus = { key: 'campus', kind: 'OpenId', name: 'Campus' }
function offer(passwords: boolean) {
  return { ...visitor, 'GET /api/account/signin': { body: { passwords, providers: [campus] } } }
}

describe('the login page', () => {
  it('the login page offers providers below the form, and shows why a provider cannot be reached', async () => {
    const refusal = {
      status: 400,
      body: { title: 'The identity provider cannot be reached', status: 400, code: 'sign-in.unreachable' },
    }
    const asked = simulateServer({ ...offer(true), 'POST /api/account/signin/campus': refusal })
    await renderInApp(<Login />, { areas: ['account'] })
    await user.type(screen.getByRole('textbox', { name: 'Username or email' }), 'mira')
    await user.click(await screen.findByRole('button', { name: 'Continue with Campus' }))
    expect((await screen.findByRole('alert')).textContent).toBe('The identity provider cannot be reached')
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Username or email' }).value).toBe('mira')
    expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({ purpose: 'LogIn' })
  })

  it('the login page hides the form behind a summary if only admins use passwords', async () => {
    simulateServer(offer(false))
    await renderInApp(<Login />, { areas: ['account'] })
    await screen.findByText('Log in with a password (admins only)')
    await screen.findByRole('button', { name: 'Continue with Campus' })
  })

  it('the login page shows only the form if there is no provider', async () => {
    simulateServer({ ...visitor, 'GET /api/account/signin': { body: { passwords: true, providers: [] } } })
    await renderInApp(<Login />, { areas: ['account'] })
    await screen.findByRole('button', { name: 'Log in' })
    expect(screen.queryByText('or')).toBeNull()
  })
})

it('the registration page offers only providers if only admins use passwords', async () => {
  simulateServer(offer(false))
  await renderInApp(<Register />, { areas: ['account'] })
  await screen.findByText('Create your account with one of these providers.')
  expect(screen.queryByRole('textbox', { name: 'Email' })).toBeNull()
})

describe('the page to which a provider redirects users', () => {
  const at = { at: '/account/sign-in/campus?code=c&state=s', pattern: '/account/sign-in/:key', areas: ['account'] } as const
  const finish = (body: unknown, status = 200) => ({ ...offer(true), 'POST /api/account/signin/campus/finish': { status, body } })

  it('the sign-in page posts the query string once, and then opens the page that the user came from', async () => {
    sessionStorage.setItem('sign-in-return', '/games/3')
    const asked = simulateServer(finish({ outcome: 'LoggedIn', preview: null }))
    const page = await renderInApp(<SignIn />, at)
    await screen.findByText('at another page')
    expect(page.address()).toBe('/games/3')
    expect(asked.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([{ answer: '?code=c&state=s' }])
  })

  it('the login never redirects to another site', async () => {
    sessionStorage.setItem('sign-in-return', '//evil.example')
    simulateServer(finish({ outcome: 'LoggedIn', preview: null }))
    const page = await renderInApp(<SignIn />, at)
    await screen.findByText('at another page')
    expect(page.address()).toBe('/')
  })

  it.each([
    ['AdminConfirmationRequired', 'Waiting for approval'],
    ['EmailConfirmationRequired', 'Check your email'],
  ])('the sign-in page shows a text for the outcome %s: “%s”', async (outcome, title) => {
    simulateServer(finish({ outcome, preview: null }))
    await renderInApp(<SignIn />, at)
    await screen.findByText(title)
  })

  it('the sign-in page shows the reason of a refusal, and links back to the login', async () => {
    const title = 'The sign-in has expired or began in another browser. Start again.'
    simulateServer(finish({ title, status: 400, code: 'sign-in.expired' }, 400))
    await renderInApp(<SignIn />, at)
    expect((await screen.findByRole('alert')).textContent).toContain(title)
    expect(await screen.findByRole('link', { name: 'Back to login' })).toBeTruthy()
  })

  it.each([
    [[{ key: 'campus' }], 'The provider is now linked to your account'],
    [[], 'You are logged in, but the provider was not linked. Link it in your profile.'],
  ])(
    'the login page offers to link the provider, and opens the previous page with the outcome after the login (%o)',
    async (identities, toast) => {
      sessionStorage.setItem('sign-in-return', '/games/3')
      const title = 'An account with this email address exists.'
      const asked = simulateServer({
        ...finish({ title, status: 400, code: 'sign-in.link-offered' }, 400),
        'POST /api/account/login': { status: 401, body: { title: 'Wrong', status: 401, code: 'login.second-factor' } },
        'POST /api/account/login/factors': { body: { passkey: null } },
        'POST /api/account/login/code': { body: '' },
        'GET /api/account/identities': { body: { hasPassword: true, identities } },
      })
      const page = await renderInApp(<SignIn />, at)
      await screen.findByText(title)
      await user.type(screen.getByRole('textbox', { name: 'Username or email' }), 'mira')
      await user.type(screen.getByLabelText('Password'), 'Correct1horse')
      await user.click(screen.getByRole('button', { name: 'Log in' }))
      await user.type(await screen.findByRole('textbox', { name: 'Code' }), '123456')
      await user.click(screen.getByRole('button', { name: 'Log in' }))
      await screen.findByText('at another page')
      expect(page.address()).toBe('/games/3')
      expect(asked.find(({ address }) => address === '/api/account/login')?.body).toMatchObject({ userName: 'mira', link: true })
      expect(useToasts.getState().toasts.at(-1)).toMatchObject({ title: toast })
    },
  )

  it('when an admin tests a provider, the sign-in page shows the values for a new account and all claims', async () => {
    const profile = {
      subject: '7',
      userName: 'ada',
      email: 'ada@uni.example',
      isEmailVerified: true,
      realName: '',
      stdNumber: '',
      isAdmin: true,
    }
    simulateServer(finish({ outcome: 'Previewed', preview: { profile, claims: '{"groups":["staff"]}' } }))
    await renderInApp(<SignIn />, at)
    await screen.findByText('ada@uni.example (verified)')
    expect(screen.getByText('{"groups":["staff"]}')).toBeTruthy()
  })
})
