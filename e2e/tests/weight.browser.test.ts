import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser, findChromium } from '../support/browser.ts'
import { aCrew, type Crew, Organizer } from '../support/organizer.ts'
import { openPage } from '../support/story.ts'
import type { World } from '../support/world.ts'

/** Of a page with nothing in its cache: script as it travels, and calls before there is something to read. */
const most = { bytes: 200_000, files: 15, calls: 3 }

/**
 * Opens a page with an empty cache and waits until it asks for nothing more. Calls after the first few are answered only once there
 * is something to read: a page that needs them to show it fails.
 * @param useful text of what a player came for
 */
const weigh = async (page: Page, path: string, useful: string) => {
  const devTools = await page.context().newCDPSession(page)
  const scripts = new Map<string, number>()
  await devTools.send('Network.enable')
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true })
  devTools.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.set(requestId, 0)
  })
  devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) scripts.set(requestId, encodedDataLength)
  })
  const shown = Promise.withResolvers<void>()
  let calls = 0
  await page.route('**/api/**', async (route) => {
    calls += 1
    if (calls > most.calls) await shown.promise
    await route.continue()
  })
  await page.goto(path)
  await page.getByRole('main').getByText(useful).first().waitFor()
  shown.resolve()
  await page.waitForLoadState('networkidle')
  const sizes = [...scripts.values()]
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length }
}

/** Files and calls that a page asks for, growing until it is closed, and those until there is something to read. @param isEarly false: the script that asks for them in the page itself fails */
const requestsOf = async (page: Page, path: string, useful: string, isEarly: boolean) => {
  const asked: string[] = []
  const warnings: string[] = []
  if (!isEarly)
    await page.addInitScript(() =>
      Object.defineProperty(window, 'capstanEarlyCalls', {
        set: () => {
          throw new Error('Not early')
        },
      }),
    )
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/^\/(api|static)\//.test(pathname)) asked.push(pathname)
  })
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  await page.goto(path)
  await page.getByRole('main').getByText(useful).first().waitFor()
  const first = asked.length
  await page.waitForLoadState('networkidle')
  return { asked, first: asked.slice(0, first), warnings }
}

describe.skipIf(!findChromium())('the weight of what players open (needs Chromium)', () => {
  let browser: Browser
  let world: World
  let crew: Crew
  let userId: string
  let game: { readonly id: number; readonly title: string }
  const task = { title: 'Plimsoll Line', flag: 'flag{plimsoll}' }
  beforeAll(async () => {
    const started = inject('world')
    if (!started) throw new Error('There is no platform to test')
    world = started
    const organizer = await Organizer.logIn(world)
    // Lists have the games that started last: those of other tests started an hour ago.
    const settings = { content: 'Bring a **lamp** and `rope`.', summary: 'At night', start: new Date().toISOString() }
    game = await organizer.openGame(settings, [task])
    crew = await aCrew(world.baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    userId = (await crew.actor.call(operations.getOwnProfile)).userId
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(async () => {
    await browser?.close()
  })

  const screens: [screen: string, path: () => string, useful: () => string][] = [
    ['home', () => '/', () => game.title],
    ['games', () => '/games', () => game.title],
    ['game', () => `/games/${game.id}`, () => game.title],
    ['challenges', () => `/games/${game.id}/challenges`, () => task.title],
    ['scoreboard', () => `/games/${game.id}/scoreboard`, () => crew.teamName],
    ['teams', () => '/teams', () => crew.teamName],
    ['profile', () => '/account/profile', () => crew.userName],
    ['page of a team', () => `/teams/${crew.teamId}`, () => game.title],
    ['page of a player', () => `/players/${userId}`, () => game.title],
    ['posts', () => '/posts', () => 'Posts'],
  ]

  test.each(screens)(
    'what the page of %s asks for before its scripts is what they need, each once',
    async (_screen, path, useful) => {
      const visit = async (isEarly: boolean) => {
        const { page, close } = await openPage(browser, world.baseUrl, { actor: crew.actor })
        return { ...(await requestsOf(page, path(), useful(), isEarly)), close }
      }
      const early = await visit(true)
      const late = await visit(false)
      const isFile = (address: string) => address.startsWith('/static/')
      const beforeTexts = early.asked.slice(
        0,
        early.asked.findIndex((address) => address.includes('/texts/')),
      )
      const useless = () => [...beforeTexts, ...early.first.filter(isFile)].filter((address) => !late.asked.includes(address))
      await expect.poll(useless, { message: 'files and calls that the page itself never asks for' }).toEqual([])
      const missed = () => late.first.filter((address) => isFile(address) && !early.asked.includes(address))
      await expect.poll(missed, { message: 'files that only the page itself asks for' }).toEqual([])
      await early.close()
      await late.close()
      // The first script of the page's own comes before the entry could have asked for it.
      expect(beforeTexts).toContain('/api/account/session')
      expect(early.asked.filter((address, at) => isFile(address) && early.asked.indexOf(address) < at)).toEqual([])
      expect(early.warnings.filter((text) => text.includes('preload'))).toEqual([])
    },
  )

  test.each(screens)('%s is of use after few calls, and loads little script in few files', async (_screen, path, useful) => {
    const { page, errors, close } = await openPage(browser, world.baseUrl, { actor: crew.actor })
    const { bytes, files } = await weigh(page, path(), useful())
    await close()
    expect(errors).toEqual([])
    expect(bytes).toBeGreaterThan(0)
    expect(bytes, 'bytes of script').toBeLessThanOrEqual(most.bytes)
    expect(files, 'files of script').toBeLessThanOrEqual(most.files)
  })
})
