import type { FullChallenge } from '@capstan/contract/challenge'
import { allChoices, type ContainerDefinition } from '@capstan/contract/container-definition'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { aChallenge, fullChallengeOf } from '../../testing/challenge.ts'
import { show } from '../../testing/render.tsx'
import { answering } from '../../testing/server.ts'
import { ContainerSettingsCard } from './container-settings-card.tsx'

const user = userEvent.setup()
const path = '/api/edit/games/3/challenges/7/whole'

async function open(definition: ContainerDefinition) {
  const whole = {
    ...fullChallengeOf(aChallenge({ type: 'StaticContainer' }), { definition }),
    choices: { ...allChoices, egress: ['None', 'Dns'] as const },
  } as FullChallenge
  const asked = answering({ [`PUT ${path}`]: ({ body }) => ({ body: { ...whole, ...(body as object) } }) })
  await show(<ContainerSettingsCard gameId={3} whole={whole} />, { areas: ['admin-container', 'editing'] })
  await screen.findByText('Advanced settings')
  const saved = () => asked.filter(({ method }) => method === 'PUT').map(({ body }) => body as FullChallenge)
  return () => saved().map(({ challenge }) => challenge.containers[0]?.definition)
}

it('the card is folded if the challenge has no container settings', async () => {
  await open({})
  expect(screen.getByText('Advanced settings').closest('details')).toHaveProperty('open', false)
})

it('saves typed settings, leaves other secrets unchanged, and offers only allowed options', async () => {
  const stored = await open({ secrets: [{ name: 'KEY' }], user: 1000 })
  const egress = screen.getByRole('combobox', { name: 'Outgoing connections' })
  expect([...egress.querySelectorAll('option')].map(({ textContent }) => textContent)).toEqual([
    'Platform default',
    'None',
    'Name servers only',
  ])
  await user.selectOptions(egress, 'Dns')
  await user.type(screen.getByRole('textbox', { name: 'Flag file' }), '/flag.txt')
  await user.click(screen.getByRole('button', { name: 'Add a secret' }))
  await user.type(screen.getByRole('textbox', { name: 'Name of secret 2' }), 'TOKEN')
  await user.type(screen.getByLabelText('Value of secret 2'), 'hidden')
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('hidden')
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  await waitFor(() => expect(stored()).toHaveLength(1))
  expect(stored()[0]).toEqual({
    secrets: [{ name: 'KEY' }, { name: 'TOKEN', value: 'hidden' }],
    user: 1000,
    egress: 'Dns',
    flag: { variables: [], file: { path: '/flag.txt' } },
  })
})

it('shows an error at its field and does not save', async () => {
  await open({ user: 1000 })
  const variables = screen.getByRole('textbox', { name: 'Variables' })
  await user.type(variables, 'MODE=hard{Enter}TEAM_ID=1')
  expect(variables).toHaveProperty('ariaInvalid', 'true')
  expect(screen.getByRole('alert').textContent).toBe('Line 2: This is set by the platform.')
  expect(screen.getByRole('button', { name: 'Save changes' })).toHaveProperty('disabled', true)
})
