import { allChoices, type ContainerDefinition } from '@capstan/contract/container-definition'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { aChallenge, createFullTestChallenge } from '../../testing/challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { findFaultsOfContainers } from './container-faults.ts'
import { ContainerSettingsCard } from './container-settings-card.tsx'
import { type TypedContainer, toChallengeContainers, toTypedContainers } from './containers-form.ts'

const user = userEvent.setup()
const choices = { ...allChoices, egress: ['None', 'Dns'] as const }

async function open(definition: ContainerDefinition) {
  const { challenge } = createFullTestChallenge(aChallenge({ type: 'StaticContainer' }), { definition })
  const seen: { definition: ContainerDefinition | undefined } = { definition: undefined }
  function Harness() {
    const [containers, setContainers] = useState(toTypedContainers(challenge))
    seen.definition = toChallengeContainers(containers, { ...choices, egress: [...choices.egress] })[0]?.definition
    const [container] = containers as [TypedContainer]
    return (
      <ContainerSettingsCard
        container={container}
        isEntry
        faults={findFaultsOfContainers(containers, challenge.containers, allChoices)[0] ?? {}}
        choices={{ ...choices, egress: [...choices.egress] }}
        secrets={(definition.secrets ?? []).map(({ name }) => name)}
        set={(patch) => setContainers([{ ...container, ...patch }])}
      />
    )
  }
  await renderInApp(<Harness />, { areas: ['admin-container'] })
  await screen.findByText('Advanced settings')
  return seen
}

it('the card for container settings is collapsed if all settings have their defaults', async () => {
  await open({})
  expect(screen.getByText('Advanced settings').closest('details')).toHaveProperty('open', false)
})

it('the card applies entered settings, leaves stored secrets unchanged, and offers only allowed options', async () => {
  const seen = await open({ secrets: [{ name: 'KEY' }], user: 1000 })
  const egress = screen.getByRole('combobox', { name: 'Outgoing connections' })
  expect([...egress.querySelectorAll('option')].map(({ textContent }) => textContent)).toEqual([
    'Platform default',
    'None',
    'Name servers only',
  ])
  expect(screen.getByLabelText('Value of secret 1')).toHaveProperty('placeholder', 'Stored, not shown')
  await user.selectOptions(egress, 'Dns')
  await user.type(screen.getByRole('textbox', { name: 'Flag file' }), '/flag.txt')
  await user.click(screen.getByRole('button', { name: 'Add a secret' }))
  await user.type(screen.getByRole('textbox', { name: 'Name of secret 2' }), 'TOKEN')
  expect(screen.getByRole('alert').textContent).toContain('Line 2: Enter its value.')
  await user.type(screen.getByLabelText('Value of secret 2'), 'hidden')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(seen.definition).toEqual({
    secrets: [{ name: 'KEY' }, { name: 'TOKEN', value: 'hidden' }],
    user: 1000,
    egress: 'Dns',
    flag: { variables: [], file: { path: '/flag.txt' } },
  })
})

it('the card shows the fault of a setting at the field', async () => {
  await open({ user: 1000 })
  const variables = screen.getByRole('textbox', { name: 'Variables' })
  await user.type(variables, 'MODE=hard{Enter}TEAM_ID=1')
  expect(variables).toHaveProperty('ariaInvalid', 'true')
  expect(screen.getByRole('alert').textContent).toBe('Line 2: This is set by the platform.')
})
