import { operations } from '@capstan/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, type Crew, Organizer } from '../support/organizer.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')
const tasks = [
  { title: 'Fog Bank', flag: 'flag{fog}', category: 'Web' },
  { title: 'Lead Line', flag: 'flag{lead}', category: 'Misc' },
  { title: 'Kraken', flag: 'flag{kraken}', category: 'Pwn' },
] as const

describe.skipIf(!world)('moments of a game (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let organizer: Organizer
  beforeAll(async () => {
    organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  const openGame = async (players: number) => {
    const game = await organizer.openGame({}, tasks)
    const crews: Crew[] = []
    for (let index = 0; index < players; index += 1) {
      const crew = await aCrew(baseUrl)
      await crew.actor.join(game.id, crew.teamId)
      crews.push(crew)
    }
    const solve = (crew: Crew | undefined, { title, flag }: (typeof tasks)[number]) =>
      crew?.actor.submitFlag(game.id, game.challenges.get(title) ?? 0, flag)
    return { game, crews, solve }
  }

  test('a first blood shows other players a toast in warm colors, and a second blood a less striking toast', async () => {
    const { game, crews, solve } = await openGame(3)
    const [first, second, watcher] = crews
    const { page, errors, close } = await openPage(browser, baseUrl, { ...(watcher && { actor: watcher.actor }) })
    await page.goto(`/games/${game.id}/challenges`)
    await page.getByText('Live', { exact: true }).waitFor()
    await solve(first, tasks[0])
    const toasts = page.locator('li[data-blood]')
    await toasts
      .filter({ hasText: `${first?.teamName} solved Fog Bank` })
      .and(page.locator('[data-blood="1"]'))
      .waitFor()
    await solve(second, tasks[0])
    await toasts
      .filter({ hasText: `${second?.teamName} solved Fog Bank` })
      .and(page.locator('[data-blood="2"]'))
      .waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('a first blood shows its solver a box in warm colors with the points, and the board marks the challenge', async () => {
    const { game, crews } = await openGame(1)
    const [crew] = crews
    const { page, errors, close } = await openPage(browser, baseUrl, { ...(crew && { actor: crew.actor }) })
    await page.goto(`/games/${game.id}/challenges/${game.challenges.get('Kraken')}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Flag', exact: true }).fill('flag{kraken}')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await dialog.locator('[data-blood="1"]').filter({ hasText: 'First blood' }).filter({ hasText: '+1,050 points' }).waitFor()
    await page.keyboard.press('Escape')
    const own = page.getByRole('link', { name: /Kraken.*Solved/ })
    await own.getByRole('img', { name: 'First blood' }).waitFor()
    await page.getByRole('link', { name: 'Fog Bank' }).getByRole('img', { name: 'First blood is open' }).waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('a challenge has no bloods after an organizer has disabled bloods for it', async () => {
    const { game, crews, solve } = await openGame(2)
    const [first, watcher] = crews
    const id = game.challenges.get('Kraken')
    const organizing = await openPage(browser, baseUrl, { actor: organizer.actor })
    await organizing.page.goto(`/admin/games/${game.id}/challenges/${id}?section=score`)
    await organizing.page.getByRole('switch', { name: 'Bloods' }).click()
    await organizing.page.getByRole('button', { name: 'Save changes' }).click()
    await organizing.page.getByText('Challenge saved').first().waitFor()
    const { page, errors, close } = await openPage(browser, baseUrl, { ...(watcher && { actor: watcher.actor }) })
    await page.goto(`/games/${game.id}/challenges`)
    await page.getByRole('link', { name: 'Fog Bank' }).getByRole('img', { name: 'First blood is open' }).waitFor()
    const kraken = page.getByRole('link', { name: /Kraken/ })
    expect(await kraken.getByRole('img', { name: /blood/ }).count()).toBe(0)
    await solve(first, tasks[2])
    await page.goto(`/games/${game.id}/challenges/${id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Flag', exact: true }).fill('flag{kraken}')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await dialog.getByText('+864 points').waitFor()
    expect(await dialog.locator('[data-blood]').count()).toBe(0)
    const notices = await organizer.actor.call(operations.listNotices, { params: { id: game.id }, query: {} })
    expect(notices.filter(({ type }) => type.endsWith('Blood'))).toEqual([])
    expect([errors, organizing.errors]).toEqual([[], []])
    await organizing.close()
    await close()
  })

  test('a projector shows a banner for each first blood, one after another, and no banner for a second blood', async () => {
    const { game, crews, solve } = await openGame(2)
    const [first, second] = crews
    await solve(first, tasks[0])
    const { page, errors, close } = await openPage(browser, baseUrl)
    await page.goto(`/games/${game.id}/scoreboard`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Projector' }).click()
    const projector = page.getByRole('dialog')
    await projector.waitFor()
    // Record each text that the banner shows, in order of time.
    await projector.getByRole('status').evaluate((place) => {
      const shown: string[] = []
      Object.assign(window, { shownBands: shown })
      new MutationObserver(() => {
        const text = place.textContent ?? ''
        if (text !== '' && shown.at(-1) !== text) shown.push(text)
      }).observe(place, { childList: true, subtree: true, characterData: true })
    })
    await solve(second, tasks[0])
    await solve(second, tasks[1])
    await solve(first, tasks[2])
    const shown = () => page.evaluate<string[]>('window.shownBands')
    await expect.poll(shown).toEqual([`First blood${second?.teamName}Lead Line`, `First blood${first?.teamName}Kraken`])
    await expect.poll(() => projector.getByRole('status').textContent()).toBe('')
    expect(errors).toEqual([])
    await close()
  })

  test('the celebration sound is off by default, and a command turns it on', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl)
    await page.goto('/games')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const isOn = () => page.evaluate<boolean>("JSON.parse(localStorage.getItem('notice-alerts') ?? '{}').state?.moments ?? false")
    expect(await isOn()).toBe(false)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('celebration sound')
    await page.getByRole('option', { name: 'Turn on the celebration sound' }).click()
    await expect.poll(isOn).toBe(true)
    expect(errors).toEqual([])
    await close()
  })
})
