import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, aPlayer, type Crew, Organizer, unique } from '../support/organizer.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')

describe.skipIf(!world)('teams (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  beforeAll(async () => {
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  const teamsOf = async (player: Pick<Crew, 'actor'>) => {
    const opened = await openPage(browser, baseUrl, { actor: player.actor })
    await opened.page.goto('/teams')
    return opened
  }
  const inDialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))
  const inviteOf = ({ actor, teamId }: Crew) => actor.call(operations.getInvite, { params: { id: teamId } })

  test('a player creates the one allowed team, and another player joins with its code', async () => {
    const captain = await aPlayer(baseUrl)
    const name = `Tide ${unique()}`
    const first = await teamsOf(captain)
    await first.page.getByRole('button', { name: 'Create a team' }).first().click()
    await inDialog(first.page).getByLabel('Name').fill(name)
    await inDialog(first.page).getByRole('button', { name: 'Create team' }).click()
    await first.page.getByRole('heading', { name }).waitFor()
    expect(await first.page.getByRole('button', { name: 'Create a team' }).count()).toBe(0)
    const code =
      (await first.page
        .getByRole('region', { name: `Invitation code of ${name}` })
        .locator('code')
        .textContent()) ?? ''
    expect(code).toMatch(/^Tide [0-9a-f]+:\d+:[0-9a-f]{32}$/)

    const second = await teamsOf(await aPlayer(baseUrl))
    await second.page.getByRole('button', { name: 'Join with a code' }).first().click()
    await inDialog(second.page)
      .getByLabel('Invitation code')
      .fill(`${code.slice(0, -4)}0000`)
    await inDialog(second.page).getByRole('button', { name: /^Join/ }).click()
    await inDialog(second.page).getByText('Incorrect team invitation code').waitFor()
    await inDialog(second.page).getByLabel('Invitation code').fill(code)
    await inDialog(second.page)
      .getByRole('button', { name: `Join ${name}` })
      .click()
    await second.page.getByRole('heading', { name }).waitFor()
    expect([...first.errors, ...second.errors]).toEqual([])
    await first.close()
    await second.close()
  })

  test('a captain removes a member and transfers the team, and the former captain can leave', async () => {
    const captain = await aCrew(baseUrl)
    const [mate, guest] = [await aPlayer(baseUrl), await aPlayer(baseUrl)]
    const code = await inviteOf(captain)
    for (const { actor } of [mate, guest]) await actor.call(operations.acceptInvite, { body: code })
    const { page, errors, close } = await teamsOf(captain)

    await page.getByRole('button', { name: `More actions for ${guest.userName}` }).click()
    await page.getByRole('menuitem', { name: 'Remove from team' }).click()
    await inDialog(page)
      .getByRole('button', { name: `Remove ${guest.userName}` })
      .click()
    await page.getByText(guest.userName, { exact: true }).waitFor({ state: 'hidden' })

    await page.getByRole('button', { name: `More actions for ${mate.userName}` }).click()
    await page.getByRole('menuitem', { name: 'Make captain' }).click()
    await inDialog(page).getByRole('button', { name: 'Hand over the team' }).click()
    await page.getByText(`${mate.userName} is now captain`).first().waitFor()

    await page.getByRole('button', { name: 'Leave team' }).click()
    await inDialog(page).getByRole('button', { name: 'Leave team' }).click()
    await page.getByRole('heading', { name: captain.teamName }).waitFor({ state: 'hidden' })
    expect(errors).toEqual([])
    await close()
  })

  test('a team in a game is locked: the page says so, and a refused action shows the reason at its button', async () => {
    const captain = await aCrew(baseUrl)
    const mate = await aPlayer(baseUrl)
    await mate.actor.call(operations.acceptInvite, { body: await inviteOf(captain) })
    const organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    const game = await organizer.openGame()
    await captain.actor.join(game.id, captain.teamId)
    const { page, close } = await teamsOf(captain)
    await page.getByText('Locked', { exact: true }).waitFor()
    await page.getByRole('button', { name: `More actions for ${mate.userName}` }).click()
    await page.getByRole('menuitem', { name: 'Remove from team' }).click()
    await inDialog(page)
      .getByRole('button', { name: `Remove ${mate.userName}` })
      .click()
    await inDialog(page)
      .getByRole('alert')
      .getByText(/The team is locked/i)
      .waitFor()
    await close()
  })
})
