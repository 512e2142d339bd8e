import type { PowChallenge } from '@capstan/contract/accounts'
import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { type ReceivedCall, simulateServer } from '../../testing/server.ts'
import { LoginForm } from './login-form.tsx'

const user = userEvent.setup()
const page = globalThis as { turnstile?: unknown; grecaptcha?: unknown }
function scripts() {
  return [...document.head.querySelectorAll('script')]
}

// Removes the fake global objects. In production, the scripts of the captcha providers define these objects.
afterEach(() => {
  for (const script of scripts()) script.remove()
  delete page.turnstile
  delete page.grecaptcha
  vi.unstubAllGlobals()
})

function arrive() {
  return act(() => scripts()[0]?.dispatchEvent(new Event('load')))
}

async function showLogin(type: string, captchaDelay?: Promise<void>) {
  const asked = simulateServer({
    'GET /api/captcha': { body: { type, siteKey: 'site key' } },
    'GET /api/captcha/powchallenge': { body: { id: '0123456789ab', challenge: '0011223344556677', difficulty: 18 } },
    'POST /api/account/login': ({ body }: ReceivedCall) =>
      (body as { challenge: string }).challenge === 'used'
        ? { status: 400, body: { title: 'Captcha verification failed', status: 400 } }
        : {},
  })
  const fetchNow = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    if (String(input) === '/api/captcha') await captchaDelay
    return fetchNow(input, init)
  }
  await renderInApp(<LoginForm onLoggedIn={async () => undefined} />, { areas: ['account'] })
  await user.type(screen.getByRole('textbox', { name: 'Username or email' }), 'mira')
  await user.type(screen.getByLabelText('Password'), 'Secret1')
  return {
    submit: () => user.click(screen.getByRole('button', { name: 'Log in' })),
    message: () => screen.findByRole('alert').then(({ textContent }) => textContent),
    challenges: () =>
      asked.flatMap(({ method, body }) => (method === 'POST' ? [(body as { challenge: unknown }).challenge] : [])),
  }
}

describe('the captcha', () => {
  it('the login page loads no script if the captcha is off', async () => {
    const { submit, challenges } = await showLogin('None')
    await submit()
    expect(scripts()).toEqual([])
    expect(challenges()).toEqual([null])
  })

  it('a form can be submitted before the server responds that the captcha is off', async () => {
    const known = Promise.withResolvers<void>()
    const { submit, challenges } = await showLogin('None', known.promise)
    await submit()
    known.resolve()
    await waitFor(() => expect(challenges()).toEqual([null]))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  describe('a Turnstile captcha', () => {
    let solve: (token: string) => void
    let expire: () => void
    const resets: string[] = []
    beforeEach(() => {
      resets.length = 0
      page.turnstile = {
        render: (_: HTMLElement, options: { callback: typeof solve; 'expired-callback': typeof expire }) => {
          solve = (token) => act(() => options.callback(token))
          expire = () => act(() => options['expired-callback']())
          return 'widget'
        },
        reset: (id: string) => resets.push(id),
        remove: () => undefined,
      }
    })

    it('the form requires a new captcha solution after the previous one was used or has expired', async () => {
      const { submit, message, challenges } = await showLogin('CloudflareTurnstile')
      expect(scripts().map(({ src }) => new URL(src).host)).toEqual(['challenges.cloudflare.com'])
      arrive()
      await submit()
      expect(await message()).toBe('Please wait for captcha...')
      solve('used')
      await submit()
      expect(await message()).toBe('Captcha verification failed')
      expect(resets).toEqual(['widget'])
      await submit()
      expect(await message()).toBe('Please wait for captcha...')
      solve('late')
      expire()
      await submit()
      expect(await message()).toBe('Please wait for captcha...')
      solve('fresh')
      await submit()
      expect(challenges()).toEqual(['used', 'fresh'])
    })
  })

  it('the form requests a new Google token with the name of the action for each attempt', async () => {
    const { submit, message, challenges } = await showLogin('GoogleRecaptcha')
    expect(scripts().map(({ src }) => src)).toEqual(['https://www.recaptcha.net/recaptcha/api.js?render=site%20key'])
    await submit()
    expect(await message()).toBe('Please wait for captcha...')
    page.grecaptcha = {
      ready: (next: () => void) => next(),
      execute: async (siteKey: string, { action }: { action: string }) => `${siteKey} ${action}`,
    }
    arrive()
    await submit()
    expect(challenges()).toEqual(['site key login'])
  })

  it('the form solves a proof of work in a worker and reports its progress', async () => {
    const posted = Promise.withResolvers<() => void>()
    class FakeWorker {
      onmessage?: (message: { data: string }) => void
      postMessage({ id, challenge, difficulty }: PowChallenge) {
        posted.resolve(() => this.onmessage?.({ data: `${id}:${challenge}:${difficulty}` }))
      }
      terminate() {
        terminated += 1
      }
    }
    let terminated = 0
    vi.stubGlobal('Worker', FakeWorker)
    const { submit, challenges } = await showLogin('HashPow')
    await submit()
    const solve = await posted.promise
    expect((await screen.findByRole('status')).textContent).toBe('Your browser solves a small puzzle. This takes a few seconds.')
    await act(async () => solve())
    await waitFor(() => expect(challenges()).toEqual(['0123456789ab:0011223344556677:18']))
    expect([terminated, screen.queryByRole('status')]).toEqual([1, null])
  })

  it("the form shows an error if the provider's script fails to load", async () => {
    const { message } = await showLogin('GoogleRecaptcha')
    act(() => scripts()[0]?.dispatchEvent(new Event('error')))
    expect(await message()).toBe('The captcha could not be loaded')
  })
})
