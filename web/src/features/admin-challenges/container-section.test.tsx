import type { Challenge } from '@capstan/contract/challenge'
import { allChoices } from '@capstan/contract/container-definition'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { aChallenge, createFullTestChallenge, threeContainers } from '../../testing/challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { applyFormChanges, toChallengeForm } from './challenge-form.ts'
import { ContainerSection } from './container-section.tsx'
import { useContainerSelection } from './use-container-selection.ts'

const user = userEvent.setup()

async function open(containers: Challenge['containers'], maxContainers = allChoices.maxContainers) {
  simulateServer({
    'GET /api/edit/reach': {
      body: { isDirect: true, domain: null, web: 'off', webPort: null, tlsPort: null, firstPort: null, sharesSite: false },
    },
    'GET /api/edit/games/3/challenges/7/container/log': { body: { hasRun: false, steps: [] } },
  })
  const challenge = aChallenge({ type: 'StaticContainer', containers })
  const whole = { ...createFullTestChallenge(challenge), choices: { ...allChoices, maxContainers }, challenge }
  const seen: { containers: Challenge['containers'] } = { containers }
  function Harness() {
    const [form, setForm] = useState(toChallengeForm(whole))
    const selection = useContainerSelection(form, whole)
    seen.containers = applyFormChanges(challenge, form).containers
    return (
      <ContainerSection
        gameId={3}
        whole={whole}
        containers={form.containers}
        selection={selection}
        onChange={(changed) => setForm({ ...form, containers: changed })}
        hasUnsaved={false}
      />
    )
  }
  await renderInApp(<Harness />, { areas: ['admin-challenges', 'admin-container', 'instances'] })
  await screen.findByText('Test instance')
  return seen
}

function picture() {
  return within(screen.getByRole('list', { name: 'Containers' })).getAllByRole('listitem')
}
function textOf(name: string) {
  return screen.getByRole<HTMLInputElement>('textbox', { name }).value
}

it('the section shows no list of containers if the platform allows only one container', async () => {
  await open([{ ...threeContainers[1]!, port: 80, networks: undefined as never }], 1)
  expect(screen.queryByRole('heading', { name: 'Containers' })).toBeNull()
  expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull()
  expect(screen.getByRole('textbox', { name: 'Image' })).toBeTruthy()
})

it('the form shows a fault if an access link is required but the new entry container does not support HTTP', async () => {
  const [page, ...others] = threeContainers
  const seen = await open([{ ...page!, reach: { ...page!.reach, isGuarded: true } }, ...others])
  await user.click(within(picture()[2]!).getByRole('button'))
  await user.click(screen.getByRole('button', { name: 'Make bot the entry' }))
  expect(screen.getByText('Only HTTP that the platform reads can require an access link.')).toBeTruthy()
  await user.click(screen.getByRole('switch', { name: 'Require an access link' }))
  expect(screen.queryByText('Only HTTP that the platform reads can require an access link.')).toBeNull()
  expect(seen.containers[0]).toMatchObject({ name: 'bot', reach: { isGuarded: false } })
})

it('the section shows each container in the picture, and opens the settings of the clicked container', async () => {
  await open(threeContainers)
  expect(picture().map((item) => item.textContent)).toEqual([
    'pageEntryx/page:1Networks: front, back. Ports for players: 80.',
    'dbx/db:1Networks: back. Players cannot reach it.',
    'botx/bot:1Networks: front. Ports for players: 9000.',
  ])
  expect(screen.getByText('In total: 0.5 cores, 384 MB of memory, 768 MB of storage')).toBeTruthy()
  expect(textOf('Name')).toBe('page')
  screen.getByRole('button', { name: /^db/ }).focus()
  await user.keyboard('{Enter}')
  expect([textOf('Name'), textOf('Image')]).toEqual(['db', 'x/db:1'])
  expect(screen.queryByRole('spinbutton', { name: 'Port' })).toBeNull()
  expect(screen.queryByRole('switch', { name: 'Record traffic' })).toBeNull()
})

it('the section offers to record the traffic between containers only if the recording of traffic is on', async () => {
  const [page, ...others] = threeContainers
  const seen = await open([{ ...page!, capture: false }, ...others])
  const all = { name: 'Record traffic between containers' }
  expect(screen.queryByRole('switch', all)).toBeNull()
  await user.click(screen.getByRole('switch', { name: 'Record traffic' }))
  expect(seen.containers[0]?.capture).toBe(true)
  await user.click(screen.getByRole('switch', all))
  expect(seen.containers[0]?.capture).toBe('all')
  await user.click(screen.getByRole('switch', all))
  expect(seen.containers[0]?.capture).toBe(true)
})

it('the section does not offer to record the traffic between containers if there is only one container', async () => {
  await open([{ ...threeContainers[0]!, dependsOn: [], capture: true }])
  expect(screen.queryByRole('switch', { name: 'Record traffic between containers' })).toBeNull()
})

it('the section adds a second container with a network, a port for players and a dependency', async () => {
  const seen = await open([{ ...threeContainers[0]!, dependsOn: [] }])
  await user.click(screen.getByRole('button', { name: 'Add a container' }))
  await user.clear(screen.getByRole('textbox', { name: 'Name' }))
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'shop')
  await user.type(screen.getByRole('textbox', { name: 'Image' }), 'x/shop:2')
  await user.click(screen.getByRole('button', { name: 'Add a network' }))
  await user.type(screen.getByRole('textbox', { name: 'Network 2' }), 'back')
  await user.type(screen.getByRole('textbox', { name: 'Further names in network 2' }), 'store till')
  await user.click(screen.getByRole('button', { name: 'Add a port' }))
  await user.type(screen.getByRole('textbox', { name: 'Extra port 1' }), '8080')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Protocol of extra port 1' }), 'http')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Waits for page' }), 'ready')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Receives the flag' }), 'no')
  expect(seen.containers[1]).toMatchObject({
    ...{ name: 'shop', image: 'x/shop:2', port: null, receivesFlag: false },
    networks: [
      { name: 'front', aliases: [] },
      { name: 'back', aliases: ['store', 'till'] },
    ],
    dependsOn: [{ name: 'page', when: 'ready' }],
    definition: { furtherPorts: [8080], offeredPorts: [{ port: 8080, speaks: 'http' }] },
  })
})

it('the section copies, moves and removes the selected container', async () => {
  const seen = await open(threeContainers)
  const names = () => seen.containers.map(({ name }) => name)
  await user.click(screen.getByRole('button', { name: /^bot/ }))
  await user.click(screen.getByRole('button', { name: 'Duplicate bot' }))
  expect([names(), textOf('Name')]).toEqual([['page', 'db', 'bot', 'bot-2'], 'bot-2'])
  await user.click(screen.getByRole('button', { name: 'Remove bot-2' }))
  expect([names(), textOf('Name')]).toEqual([['page', 'db', 'bot'], 'bot'])
  await user.click(screen.getByRole('button', { name: 'Make bot the entry' }))
  expect([names(), textOf('Name')]).toEqual([['bot', 'page', 'db'], 'bot'])
  expect(screen.queryByRole('button', { name: 'Make bot the entry' })).toBeNull()
})

it('the section marks the field with a fault, and all containers that the fault concerns', async () => {
  await open(threeContainers)
  await user.click(screen.getByRole('button', { name: /^db/ }))
  await user.selectOptions(screen.getByRole('combobox', { name: 'Waits for page' }), 'started')
  expect(picture().map((item) => item.textContent?.endsWith('needs correction'))).toEqual([true, true, false])
  expect(screen.getByRole('alert').textContent).toBe('These containers wait for each other.')
  expect(screen.getByRole('combobox', { name: 'Waits for page' })).toHaveProperty('ariaInvalid', 'true')
})

it('the section does not offer to add or copy a container once the limit is reached', async () => {
  await open(threeContainers, 3)
  expect(screen.queryByRole('button', { name: 'Add a container' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Duplicate page' })).toBeNull()
})
