import type { SecondFactor } from '@capstan/contract/second-factor'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { ProvidersSection } from './providers-section.tsx'

const user = userEvent.setup()
const factor: SecondFactor = {
  ...{ hasPassword: true, enabledAt: Date.UTC(2030, 0, 1), recoveryCodes: 9 },
  ...{ passkeys: [], isMissing: false, canAddPasskeys: true },
}
const refusal = { title: 'The identity provider cannot be reached', status: 400, code: 'sign-in.unreachable' }
function answers(hasPassword: boolean) {
  return {
    'GET /api/account/signin': { body: { passwords: true, providers: [{ key: 'campus', kind: 'OpenId', name: 'Campus' }] } },
    'GET /api/account/identities': { body: { hasPassword, identities: [] } },
    'GET /api/account/second-factor': { body: hasPassword ? factor : { ...factor, hasPassword, enabledAt: null } },
    'POST /api/account/signin/campus': { status: 400, body: refusal },
  }
}

it('the section for providers links a provider after asking for the password and a code', async () => {
  const asked = simulateServer(answers(true))
  await renderInApp(<ProvidersSection />, { areas: ['account'] })
  await user.click(await screen.findByRole('button', { name: 'Link Campus' }))
  await user.type(screen.getByLabelText('Current password'), 'Correct1horse')
  await user.type(screen.getByRole('textbox', { name: 'Code' }), '123456')
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await screen.findByText(refusal.title)
  const proof = { password: 'Correct1horse', code: '123456' }
  expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({ purpose: 'Link', proof })
})

it('the section for providers asks an account without a password to set a password, and offers no link', async () => {
  simulateServer(answers(false))
  await renderInApp(<ProvidersSection />, { areas: ['account'] })
  await screen.findByText('Your account has no password. Set one before you link another provider.', { exact: false })
  expect(screen.queryByRole('button', { name: 'Link Campus' })).toBeNull()
})

it('if the second factor cannot be read, the section for providers lists the linked providers, and offers no link', async () => {
  const identity = { key: 'club', name: 'Club', label: 'ada@club.example', linkedAt: Date.UTC(2030, 0, 1) }
  simulateServer({
    ...answers(true),
    'GET /api/account/identities': { body: { hasPassword: true, identities: [identity] } },
    'GET /api/account/second-factor': { status: 400, body: refusal },
  })
  await renderInApp(<ProvidersSection />, { areas: ['account'] })
  await screen.findByRole('button', { name: 'Unlink Club' })
  expect(screen.queryByRole('button', { name: 'Link Campus' })).toBeNull()
})
