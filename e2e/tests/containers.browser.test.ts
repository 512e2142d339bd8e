import { operations, ownOperations } from '@capstan/contract/operations'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'

describeJourneys('challenges with several containers', (stage) => {
  test('an author saves three containers of a challenge, and the reloaded editor shows the containers', async () => {
    const { id: gameId } = await stage.organizer.openGame()
    const { id: cid } = await stage.organizer.actor.call(operations.createChallenge, {
      params: { id: gameId },
      body: { title: 'Chandlery', category: 'Web', type: 'DynamicContainer' },
    })
    const { page, errors, close } = await stage.openPage({ actor: stage.organizer.actor })
    await page.goto(`/admin/games/${gameId}/challenges/${cid}?section=container`)
    await page.getByLabel('Image', { exact: true }).fill('registry.example.org/page:1')
    await addContainer(page, 'db', 'registry.example.org/db:1')
    await page.getByRole('textbox', { name: 'Network 1', exact: true }).fill('back')
    await page.getByRole('button', { name: 'Add a port' }).click()
    await page.getByRole('textbox', { name: 'Extra port 1', exact: true }).fill('5432')
    await page.getByRole('combobox', { name: 'Receives the flag' }).selectOption('yes')
    await addContainer(page, 'bot', 'registry.example.org/bot:1')
    await page.getByRole('button', { name: 'Add a port' }).click()
    await page.getByRole('textbox', { name: 'Extra port 1', exact: true }).fill('9000')
    await page.getByRole('combobox', { name: 'Protocol of extra port 1' }).selectOption('tcp')
    await page.getByRole('button', { name: /^main/ }).press('Enter')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('page')
    await page.getByRole('button', { name: 'Add a network' }).click()
    await page.getByRole('textbox', { name: 'Network 2', exact: true }).fill('back')
    await page.getByRole('combobox', { name: 'Waits for db' }).selectOption('ready')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Challenge saved').first().waitFor()

    const params = { id: gameId, cid }
    const { challenge } = await stage.organizer.actor.call(ownOperations.getFullChallenge, { params })
    const saved = challenge.containers.map(({ name, image, port, networks, dependsOn, receivesFlag, definition }) => ({
      ...{ name, image, port, networks: networks?.map((network) => network.name), dependsOn, receivesFlag },
      ...{ furtherPorts: definition.furtherPorts, offeredPorts: definition.offeredPorts },
    }))
    expect(saved).toEqual([
      {
        ...{ name: 'page', image: 'registry.example.org/page:1', port: 80, networks: ['default', 'back'] },
        dependsOn: [{ name: 'db', when: 'ready' }],
      },
      {
        ...{ name: 'db', image: 'registry.example.org/db:1', port: null, networks: ['back'], receivesFlag: true },
        furtherPorts: [5432],
      },
      {
        ...{ name: 'bot', image: 'registry.example.org/bot:1', port: null, furtherPorts: [9000] },
        offeredPorts: [{ port: 9000, speaks: 'tcp' }],
      },
    ])

    await page.reload()
    const picture = page.getByRole('list', { name: 'Containers' })
    await picture.getByRole('button', { name: /^page Entry.*Networks: default, back\..*80/ }).waitFor()
    await picture.getByRole('button', { name: /^db.*Networks: back\. Players cannot reach it/ }).click()
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('db')
    expect(errors).toEqual([])
    await close()
  })
})

async function addContainer(page: Page, name: string, image: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a container' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByLabel('Image', { exact: true }).fill(image)
}
