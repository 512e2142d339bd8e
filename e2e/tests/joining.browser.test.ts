import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, aPlayer, Organizer, timeHoursFromNow } from '../support/organizer.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')
/** Timeout for changes that a page polls every 10 s. */
const noticed = { timeout: 120_000 }

describe.skipIf(!world)('joining and leaving a game (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let organizer: Organizer
  beforeAll(async () => {
    organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  const signUp = async (page: Page, opener: string) => {
    await page.getByRole('button', { name: opener }).first().click()
    const dialog = page.getByRole('dialog')
    return { dialog, submit: () => dialog.getByRole('button', { name: opener }).click() }
  }

  test('a visitor is asked to log in, and a player without a team is asked to enter a code or create a team', async () => {
    const game = await organizer.openGame()
    const visitor = await openPage(browser, baseUrl)
    await visitor.page.goto(`/games/${game.id}`)
    await visitor.page.getByText('Log in to play').waitFor()
    await visitor.page.goto(`/games/${game.id}/challenges`)
    await visitor.page.waitForURL('**/account/login?from=**')
    await visitor.close()

    const player = await aPlayer(baseUrl)
    const { page, close } = await openPage(browser, baseUrl, { actor: player.actor })
    await page.goto(`/games/${game.id}`)
    await page.getByText('You need a team first').waitFor()
    await page.getByRole('button', { name: 'Create a team and join' }).waitFor()
    await page.getByRole('link', { name: 'I have a code' }).click()
    await page.getByRole('heading', { name: 'Teams', exact: true }).waitFor()
    await close()
  })

  test('the page of a game shows each new status of a request to join a division without a reload', async () => {
    const game = await organizer.openGame({
      acceptWithoutReview: false,
      inviteCode: 'quayside',
      organizations: ['Cadets', 'Masters'],
    })
    const crew = await aCrew(baseUrl)
    const { page, errors, close } = await openPage(browser, baseUrl, { actor: crew.actor })
    await page.goto(`/games/${game.id}`)
    const { dialog, submit } = await signUp(page, 'Join game')
    await submit()
    await dialog.getByText('Please select the division').waitFor()
    await dialog.getByText('Invitation code cannot be empty').waitFor()
    await dialog.getByLabel('Division').selectOption('Cadets')
    await dialog.getByLabel('Invitation code of the game').fill('quayside')
    await submit()
    await page.getByText('Waiting for the organizers').waitFor()

    await organizer.setStatus(game.id, crew.teamId, 'Rejected')
    await page.getByText('Your team was not accepted').waitFor(noticed)
    const again = await signUp(page, 'Sign up again')
    await again.dialog.getByLabel('Division').selectOption('Masters')
    await again.dialog.getByLabel('Invitation code of the game').fill('quayside')
    await again.submit()
    await page.getByText('Waiting for the organizers').waitFor()

    await organizer.setStatus(game.id, crew.teamId, 'Accepted')
    await page.getByText('You’re in').waitFor(noticed)
    expect(errors).toEqual([])
    await close()
  })

  test('a player can withdraw a request to join', async () => {
    const game = await organizer.openGame({ acceptWithoutReview: false })
    const crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    const { page, close } = await openPage(browser, baseUrl, { actor: crew.actor })
    await page.goto(`/games/${game.id}`)
    await page.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('Join with your team').waitFor()
    await close()
  })

  test('the challenges page shows a countdown before the start', async () => {
    const game = await organizer.openGame({ start: timeHoursFromNow(2) })
    const crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    const { page, close } = await openPage(browser, baseUrl, { actor: crew.actor })
    await page.goto(`/games/${game.id}/challenges`)
    await page.getByText('Game not yet started').first().waitFor()
    await page
      .getByText(/01:5\d:\d\d/)
      .first()
      .waitFor()
    await close()
  })

  test('a writeup is checked before upload, uploaded, and shown again', async () => {
    const game = await organizer.openGame({ writeupRequired: true })
    const crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    const { page, errors, close } = await openPage(browser, baseUrl, { actor: crew.actor })
    await page.goto(`/games/${game.id}`)
    await page.getByText('Not submitted yet').waitFor()
    const file = page.locator('input[type=file]')
    await file.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no') })
    await page.getByText('Failed to load file. Please check file format and size').waitFor()
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF')
    await file.setInputFiles({ name: 'writeup.pdf', mimeType: 'application/pdf', buffer: pdf })
    await page.getByText('Submitted', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Submitted', { exact: true }).waitFor()
    expect(errors).toEqual([])
    await close()
  })
})
