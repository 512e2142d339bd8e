import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, aPlayer, type Crew, Organizer, randomSuffix } from '../support/organizer.ts'
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

  test('a player creates a team, cannot create another team, and a second player joins with the code of the team', async () => {
    const captain = await aPlayer(baseUrl)
    const name = `Tide ${randomSuffix()}`
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

  test('a team that plays a game is locked, and a refused action shows the reason next to the button', async () => {
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

  test('an admin adds a player to a team, makes the player its captain, and moves the former captain to another team', async () => {
    const organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    const [crew, other] = [await aCrew(baseUrl), await aCrew(baseUrl)]
    const player = await aPlayer(baseUrl)
    const { page, errors, close } = await openPage(browser, baseUrl, { actor: organizer.actor })
    await page.goto(`/admin/teams?q=${encodeURIComponent(crew.teamName)}`)
    await page.getByRole('button', { name: `Edit ${crew.teamName}` }).click()
    const members = page.getByRole('region', { name: 'Members' })
    const act = async (userName: string, action: string) => {
      await members.getByRole('button', { name: `Actions for ${userName}` }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }

    await members.getByRole('searchbox', { name: 'Add a member' }).fill(player.userName)
    await members.getByRole('button', { name: player.userName }).click()
    await act(player.userName, 'Make captain')
    await members.getByRole('button', { name: `Actions for ${crew.userName}` }).waitFor()
    await act(crew.userName, 'Move to another team')
    await members.getByRole('searchbox', { name: `Move ${crew.userName} to` }).fill(other.teamName)
    await members.getByRole('button', { name: other.teamName }).click()
    await members.getByText(crew.userName, { exact: true }).waitFor({ state: 'detached' })
    expect(errors).toEqual([])
    await close()

    for (const [member, teamName] of [
      [player, crew.teamName],
      [crew, other.teamName],
    ] as const) {
      const seen = await teamsOf(member)
      await seen.page.getByRole('heading', { name: teamName }).waitFor()
      expect(await seen.page.getByRole('region', { name: `Invitation code of ${teamName}` }).count()).toBe(
        member === player ? 1 : 0,
      )
      await seen.close()
    }
  })
})
