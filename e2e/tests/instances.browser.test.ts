import { operations } from '@capstan/contract/operations'
import type { ContainerPolicy } from '@capstan/contract/settings'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { Organizer, timeHoursFromNow } from '../support/organizer.ts'
import { createPlayerInGame } from '../support/player.ts'
import { openChallenge, openPage } from '../support/story.ts'

const world = inject('world')
/** Maximum time until the server permits the next action. */
const pause = { timeout: 120_000 }

describe.skipIf(!world)('an instance of a player (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  const gameId = inject('demoGameId')
  let browser: Browser
  let organizer: Organizer
  const setPolicy = (containerPolicy: ContainerPolicy) =>
    organizer.actor.call(operations.updateSettings, { body: { containerPolicy } })
  beforeAll(async () => {
    organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(async () => {
    await setPolicy({ renewalWindow: 10 })
    await browser?.close()
  })

  test('an instance can be extended only in the renewal window and destroyed as soon as the server allows it', async () => {
    const { actor } = await createPlayerInGame(baseUrl, gameId)
    const open = async () => {
      const { page, errors, close } = await openPage(browser, baseUrl, { actor })
      await openChallenge(page, gameId, 'harbour-seal')
      const panel = page.getByRole('dialog').getByRole('region', { name: 'Instance' })
      const button = (name: string) => panel.getByRole('button', { name, exact: true })
      return { panel, button, errors, close }
    }

    const first = await open()
    await first.button('Start').click()
    await first.panel.getByText('Can be extended during its last 10 minutes').waitFor()
    await expect.poll(() => first.panel.getByRole('timer').textContent()).toMatch(/^(02:00:00|01:5\d:\d\d) left$/)
    expect(await first.button('Extend').count()).toBe(0)

    await setPolicy({ renewalWindow: 120 })
    const second = await open()
    await second.button('Extend').click()
    await second.panel.getByText('Can be extended during its last 120 minutes').waitFor()
    await expect.poll(() => second.panel.getByRole('timer').textContent()).toMatch(/^03:5\d:\d\d left$/)
    expect(await second.button('Extend').count()).toBe(0)

    // Only the page that started the instance knows when a player may destroy the instance.
    await first.button('Destroy').click()
    await first.button('Destroy instance').click(pause)
    await first.panel.getByText('No instance running').waitFor()
    for (const { errors, close } of [first, second]) {
      expect(errors).toEqual([])
      await close()
    }
  })

  test('the status strip shows an instance on a phone, and the page below the strip does not move', async () => {
    const { actor } = await createPlayerInGame(baseUrl, gameId)
    const { page, errors, close } = await openPage(browser, baseUrl, { actor, width: 390 })
    await openChallenge(page, gameId, 'harbour-seal')
    const status = page.getByRole('region', { name: 'Game status' })
    await status.getByText('Rank').waitFor()
    await status.getByText('Live', { exact: true }).waitFor()
    const height = () => page.evaluate<string>("document.documentElement.style.getPropertyValue('--game-frame')")
    const before = await height()
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
    await status
      .getByRole('link')
      .getByText(/\d\d:\d\d/)
      .waitFor()
    expect(await height()).toBe(before)
    expect(errors).toEqual([])
    await close()
  })

  test('on a phone, one line summarizes all running instances, and a click on the line opens a menu', async () => {
    const { actor } = await createPlayerInGame(baseUrl, gameId)
    const { page, errors, close } = await openPage(browser, baseUrl, { actor, width: 390 })
    const started = { state: 'Running', category: 'Misc', startedBy: 'mira', startedAt: timeHoursFromNow(-1) }
    const running = ['Anchor', 'Buoy', 'Cleat', 'Dock'].map((title, index) => ({
      ...started,
      challengeId: index + 1,
      title,
      expectStopAt: timeHoursFromNow(index === 2 ? 0.96 : 1.5),
    }))
    await page.route('**/api/game/*/instances', (route) => route.fulfill({ json: running }))
    await page.goto(`/games/${gameId}`)
    const status = page.getByRole('region', { name: 'Game status' })
    const summary = status.getByRole('button', { name: /^4 instances · 5\d:\d\d$/ })
    await summary.waitFor()
    expect(await status.getByRole('link').count()).toBe(0)
    const title = await page.getByRole('link', { name: 'Harbour Trials' }).first().boundingBox()
    const line = await summary.boundingBox()
    expect(Math.abs((title?.y ?? 0) + (title?.height ?? 0) / 2 - (line?.y ?? 0) - (line?.height ?? 0) / 2)).toBeLessThan(2)
    await summary.click()
    await expect.poll(() => page.getByRole('menuitem').count()).toBe(4)
    await page.getByRole('menuitem', { name: /Buoy/ }).click()
    await page.waitForURL(`**/games/${gameId}/challenges/2`)
    expect(errors).toEqual([])
    await close()
  })

  test.each([1440, 390])('an admin sees the output of an instance, at %i px', async (width) => {
    const { actor } = await createPlayerInGame(baseUrl, gameId)
    const player = await openPage(browser, baseUrl, { actor })
    await openChallenge(player.page, gameId, 'harbour-seal')
    const panel = player.page.getByRole('dialog').getByRole('region', { name: 'Instance' })
    await panel.getByRole('button', { name: 'Start', exact: true }).click()
    await panel.getByRole('timer').waitFor()

    const { page, errors, close } = await openPage(browser, baseUrl, { actor: organizer.actor, width })
    await page.goto('/admin/instances')
    await page
      .getByRole('button', { name: /^Containers of the instance of / })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: /^challenge\s*Ready/ }).waitFor()
    const log = dialog.getByRole('log')
    await log.getByText(/^Listening on 127\.0\.0\.1:\d+$/).waitFor()
    await dialog.getByText('New lines appear here.').waitFor()
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await dialog.getByRole('searchbox').fill('nothing')
    await log.getByText('No line matches.').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect([...errors, ...player.errors]).toEqual([])
    await Promise.all([close(), player.close()])
  })
})
