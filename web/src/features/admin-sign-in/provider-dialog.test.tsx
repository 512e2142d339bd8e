import type { SignInProvider } from '@capstan/contract/sign-in'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { ProviderDialog } from './provider-dialog.tsx'

const user = userEvent.setup()
const id = '00000000-0000-4000-8000-000000000001'
const refusal = {
  title: 'Users or teams are linked to this provider, so its kind and issuer cannot change. Add another provider.',
  ...{ status: 400, code: 'sign-in.issuer-fixed' },
}
const provider: SignInProvider = {
  ...{ id, key: 'campus', kind: 'OpenId', name: 'Campus', issuer: 'https://id.example.org', clientId: 'capstan', scope: '' },
  claims: { userName: '', realName: '', stdNumber: '', adminClaim: '', adminValue: '', team: '', division: '' },
  ...{ isEnabled: true, endsSession: false, teamsEachTime: false, users: 3 },
  ...{ hasSecret: true, isSecretConfigured: false, callbackUrl: null, logoutUrl: null },
}

it('the dialog requires the client secret again if an admin changes the issuer', async () => {
  const asked = simulateServer({ [`PUT /api/admin/signin/${id}`]: { status: 400, body: refusal } })
  await renderInApp(<ProviderDialog provider={provider} origin="https://ctf.example.org" onClose={() => {}} />, {
    areas: ['admin-sign-in'],
  })
  const issuer = await screen.findByRole('textbox', { name: 'Issuer' })
  await user.clear(issuer)
  await user.type(issuer, 'https://other.example.org')
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  await screen.findByText('Enter a value')
  expect(asked).toEqual([])
  await user.type(screen.getByLabelText('Client secret'), 'another')
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  await screen.findByText(refusal.title)
  expect(asked.at(-1)?.body).toMatchObject({ issuer: 'https://other.example.org', clientSecret: 'another' })
})

it('the dialog for a new provider has a button to create it', async () => {
  await renderInApp(<ProviderDialog origin="https://ctf.example.org" onClose={() => {}} />, { areas: ['admin-sign-in'] })
  expect(await screen.findByRole('button', { name: 'Create' })).toBeTruthy()
})
