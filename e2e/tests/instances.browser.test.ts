import { operations } from '@capstan/contract/operations'
import type { ContainerPolicy } from '@capstan/contract/settings'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { Organiser } from '../support/organiser.ts'
import { enterGame } from '../support/player.ts'
import { openChallenge, openPage } from '../support/story.ts'

const world = inject('world')
/** Longest pause that the server asks for between two deeds, and time to say so. */
const pause = { timeout: 30_000 }

describe.skipIf(!world)('the life of an instance (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  const gameId = inject('demoGameId')
  let browser: Browser
  let organiser: Organiser
  const setPolicy = (containerPolicy: ContainerPolicy) =>
    organiser.actor.call(operations.updateSettings, { body: { containerPolicy } })
  beforeAll(async () => {
    organiser = await Organiser.logIn(world as NonNullable<typeof world>)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await setPolicy({ renewalWindow: 10 })
    await browser?.close()
  })

  test('it is extended in the renewal window alone, and destroyed as soon as the server lets it', async () => {
    const { actor } = await enterGame(baseUrl, gameId)
    const { page, errors, close } = await openPage(browser, baseUrl, { actor })
    const panel = page.getByRole('dialog').getByRole('region', { name: 'Instance' })
    const button = (name: string) => panel.getByRole('button', { name, exact: true })
    const timeLeft = panel.getByRole('timer')

    await openChallenge(page, gameId, 'harbour-seal')
    await button('Start').click()
    await panel.getByText('Extend in the last 10 minutes').waitFor()
    expect(await timeLeft.textContent()).toMatch(/^(02:00:00|01:59:\d\d) left$/)
    expect(await button('Extend').count()).toBe(0)

    // The page that comes next does not know of the start, so its first attempt is refused.
    await setPolicy({ renewalWindow: 120 })
    await page.reload()
    await button('Extend').waitFor()
    await button('Destroy').click()
    await button('Destroy instance').click()
    await panel.getByText(/Please wait a moment/).waitFor()

    await button('Extend').click()
    await panel.getByText('Extend in the last 120 minutes').waitFor()
    expect(await timeLeft.textContent()).toMatch(/^03:59:\d\d left$/)
    expect(await button('Extend').count()).toBe(0)

    await button('Destroy').click()
    await button('Destroy instance').click(pause)
    await panel.getByText('No instance running').waitFor()
    await panel.getByRole('button', { name: /^Start in \d+ s$/ }).waitFor()
    expect(errors).toEqual([])
    await close()
  })
})
