import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { createPlayerInGame, findChallenge, type Player } from '../support/player.ts'
import { poll } from '../support/poll.ts'
import { openChallenge, openPage, playStoryOfNewPlayer } from '../support/story.ts'

const world = inject('world')

describe.skipIf(!world)('the demo game in a browser (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  const gameId = inject('demoGameId')
  let player: Player
  beforeAll(async () => {
    browser = await connectBrowser(inject('browser'))
    player = await createPlayerInGame(baseUrl, gameId)
  })
  afterAll(() => browser?.close())

  test('a new player registers, creates a team, joins, attacks a container and scores, and others see the solve', async () => {
    expect(await playStoryOfNewPlayer(browser, baseUrl, gameId)).toEqual([])
  })

  test('the terminal on the page of the challenge connects to the instance', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl, { actor: player.actor })
    await openChallenge(page, gameId, 'fog-channel')
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('button', { name: 'Open terminal' }).click()
    await poll(
      'the greeting of the instance',
      async () => ((await page.locator('.xterm-rows').first().textContent()) ?? '').trim().length > 20,
    )
    expect(errors).toEqual([])
    await close()
  })

  test('an unknown address shows the not-found page, and letter case in addresses is ignored', async () => {
    const { page, close } = await openPage(browser, baseUrl)
    await page.goto('/no/such/page')
    await page.getByText('Page does not exist').waitFor()
    await page.goto('/GAMES')
    await page.getByRole('heading', { name: 'Games' }).waitFor()
    await close()
  })

  test("each challenge has a separate address, and the browser's back button leads to the board", async () => {
    const { page, close } = await openPage(browser, baseUrl, { actor: player.actor })
    await openChallenge(page, gameId, 'muster-roll')
    const { id } = await findChallenge(player, 'muster-roll')
    expect(new URL(page.url()).pathname.toLowerCase()).toBe(`/games/${gameId}/challenges/${id}`)
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await close()
  })
})
