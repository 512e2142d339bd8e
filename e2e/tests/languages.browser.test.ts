import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ApiActor } from '../support/actors.ts'
import { connectBrowser } from '../support/browser.ts'
import { selectTestCases } from '../support/full-run.ts'
import { createPlayerInGame, type Player } from '../support/player.ts'
import { poll } from '../support/poll.ts'
import { findClippedTexts, servePseudoLanguage, textEnds, toPseudoLanguage } from '../support/pseudo-language.ts'
import { openLoadedPage, openPage } from '../support/story.ts'

const world = inject('world')

/** Returns a set of the languages whose catalogs the page has fetched so far. */
function watchLanguages(page: Page): Set<string> {
  const fetched = new Set<string>()
  page.on('request', (request) => {
    const language = /\/static\/texts\/([\w-]+)\//.exec(request.url())?.[1]
    if (language) fetched.add(language)
  })
  return fetched
}

describe.skipIf(!world)('languages (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let admin: ApiActor
  let player: Player
  const gameId = inject('demoGameId')
  beforeAll(async () => {
    browser = await connectBrowser(inject('browser'))
    admin = new ApiActor(baseUrl)
    await admin.logIn(world?.adminName ?? '', world?.adminPassword ?? '')
    player = await createPlayerInGame(baseUrl, gameId)
  })
  afterAll(() => browser?.close())

  test('the first visit uses the language of the browser and fetches no other language', async () => {
    const context = await browser.newContext({ baseURL: baseUrl, locale: 'es-MX' })
    const page = await context.newPage()
    const fetched = watchLanguages(page)
    await page.goto('/games')
    await page.getByRole('heading', { level: 1, name: 'Competiciones' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('es-ES')
    expect([...fetched]).toEqual(['es-ES'])
    await context.close()
  })

  test('a switch of the language preserves page and input, warns in English, and is remembered', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl)
    const fetched = watchLanguages(page)
    await page.goto('/account/login')
    await page.getByLabel('Username or email').fill('somebody')
    await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }))
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('Deutsch')
    await page.getByRole('option', { name: 'Deutsch', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    const warning = page.getByRole('alertdialog', { name: 'Machine Translation' })
    await warning.getByText('This translation is done by machine and AIs, it may not be accurate.').waitFor()
    await warning.getByRole('button', { name: 'Switch to English' }).waitFor()
    await warning.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor()
    expect(await page.getByLabel('Benutzername oder E-Mail').inputValue()).toBe('somebody')
    expect(await page.locator('html').getAttribute('lang')).toBe('de-DE')
    expect(await page.evaluate(() => [localStorage.getItem('language'), 'sameDocument' in globalThis])).toEqual(['de-DE', true])
    expect([...fetched].sort()).toEqual(['de-DE', 'en-US'])
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor()
    expect(errors).toEqual([])
    await close()
  })

  const ofGame = (...tabs: readonly string[]) => tabs.map((tab) => `/games/:game${tab}`)
  const ofMonitor = (...tabs: readonly string[]) => tabs.map((tab) => `/games/:game/monitor/${tab}`)
  const ofAdmin = (...tabs: readonly string[]) => tabs.map((tab) => `/admin/${tab}`)
  const ofOrganizer = (...tabs: readonly string[]) => tabs.map((tab) => `/admin/games/:game/${tab}`)
  const ofAccount = (...tabs: readonly string[]) => tabs.map((tab) => `/account/${tab}`)
  const addresses = {
    'a visitor': selectTestCases(ofAccount('register'), [
      '/',
      '/about',
      '/games',
      '/posts',
      '/nowhere',
      ...ofAccount('login', 'recovery', 'reset', 'verify', 'confirm', 'unsubscribe'),
    ]),
    'a player': selectTestCases(ofGame('/challenges', '/scoreboard'), [
      ...['/teams', '/teams/:team', '/players/:player', ...ofAccount('profile')],
      ...ofGame('', '/notice'),
    ]),
    'a monitor': selectTestCases(ofMonitor('submissions'), [
      ...ofMonitor('cheatinfo', 'events', 'traffic'),
      ...ofAdmin('users', 'games', 'instances', 'logs', 'settings', 'teams', 'tokens', 'webhooks'),
    ]),
    'an organizer': selectTestCases(ofOrganizer('info', 'challenges/:challenge'), [
      ...ofOrganizer('notices', 'review', 'corrections', 'writeups', 'certificate', 'challenges', 'challenges/:challenge/flags'),
      '/posts/new/edit',
    ]),
  }

  test('the test helper finds a text that is cut off and cannot scroll into view', async () => {
    const { page, close } = await openPage(browser, baseUrl, { width: 390, isNew: true })
    const box = (style: string, name: string) =>
      `<div style="inline-size: 90px; white-space: nowrap; ${style}"><span>${toPseudoLanguage(name)}</span></div>`
    await page.setContent(
      box('overflow: hidden', 'cut off here') +
        box('overflow: auto', 'scrolled here') +
        box('margin-inline-start: 350px', 'beside'),
    )
    const found = await findClippedTexts(page)
    expect(found.slice(0, 2)).toEqual([toPseudoLanguage('cut off here'), toPseudoLanguage('beside')])
    expect(found[2]).toMatch(/^the page is \d+ px wide in a window of 390$/)
    await close()
  })

  // Run these tests concurrently, because they mostly wait for pages.
  test.concurrent.each(Object.entries(addresses).map(([who, visited]) => ({ who, visited })))(
    'no text of the pseudo-language is clipped on pages of $who, on a desktop and on a phone',
    async ({ who, visited }) => {
      const [challenge] = await admin.call(operations.adminListChallenges, { params: { id: gameId } })
      const [team] = await player.actor.call(operations.listOwnTeams)
      const { userId } = await player.actor.call(operations.getOwnProfile)
      const actor = who === 'a visitor' ? undefined : who === 'a player' ? player.actor : admin
      const { page, close } = await openPage(browser, baseUrl, { isNew: true, ...(actor && { actor }) })
      await servePseudoLanguage(page)
      const clipped: string[] = []
      for (const pattern of visited) {
        const address = pattern
          .replace(':game', String(gameId))
          .replace(':challenge', String(challenge?.id ?? 0))
          .replace(':team', String(team?.id))
          .replace(':player', userId)
        await openLoadedPage(page, address)
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 })
          await page.getByRole('heading', { level: 1 }).first().waitFor()
          await page.getByText(textEnds.end).first().waitFor()
          // Repeat the check until the layout of the page no longer changes.
          const isUnclipped = async () => (await findClippedTexts(page)).length === 0
          await poll(`${address} to show its texts`, isUnclipped, { timeoutMs: 10_000 }).catch(() => undefined)
          const found = await findClippedTexts(page)
          clipped.push(...found.map((text) => `${address}, ${width} px: ${text}`))
        }
      }
      expect(clipped).toEqual([])
      await close()
    },
  )
})
