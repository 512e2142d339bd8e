import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser, findChromium } from '../support/browser.ts'
import { selectTestCases } from '../support/full-run.ts'
import { aCrew, type Crew, Organizer } from '../support/organizer.ts'
import { openPage, waitUntilLoaded } from '../support/story.ts'
import type { World } from '../support/world.ts'

/**
 * Maximum load of a page with an empty cache: compressed bytes of scripts, number of script files, and number of calls before the
 * page shows content.
 */
const bounds = { maxBytes: 220_000, maxFiles: 20, maxCalls: 3 }

/**
 * Measures the scripts that a page loads with an empty cache. Throws if the page needs more than `bounds.maxCalls` API calls to
 * show the text `useful`.
 */
async function weigh(page: Page, path: string, useful: string) {
  const devTools = await page.context().newCDPSession(page)
  /** Compressed size of each script in bytes, by request id. The size is undefined while the script is loading. */
  const scripts = new Map<string, number | undefined>()
  await devTools.send('Network.enable')
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true })
  devTools.on('Network.requestWillBeSent', ({ requestId, type }) => {
    if (type === 'Script') scripts.set(requestId, undefined)
  })
  devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) scripts.set(requestId, encodedDataLength)
  })
  const shown = Promise.withResolvers<void>()
  let calls = 0
  await page.route('**/api/**', async (route) => {
    calls += 1
    if (calls > bounds.maxCalls) await shown.promise
    await route.continue()
  })
  await page.goto(path)
  await page.getByRole('main').getByText(useful).first().waitFor()
  shown.resolve()
  await waitUntilLoaded(page)
  await expect.poll(() => [...scripts.values()].includes(undefined), { message: 'scripts are loading' }).toBe(false)
  const sizes = [...scripts.values()].map((size) => size ?? 0)
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length }
}

/**
 * Returns the paths that a page requests. `first` contains the requests before the content is visible.
 * @param isEarly false to disable the requests of the page's inline script
 */
async function requestsOf(page: Page, path: string, useful: string, isEarly: boolean) {
  const asked: string[] = []
  /**
   * Paths of failed requests. The page may repeat these requests. Chromium cancels all pending requests when a network of the
   * machine changes.
   */
  const failed = new Set<string>()
  page.on('requestfailed', (request) => failed.add(new URL(request.url()).pathname))
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
  await page.goto(path)
  await page.getByRole('main').getByText(useful).first().waitFor()
  const first = asked.length
  await waitUntilLoaded(page)
  return { asked, failed, first: asked.slice(0, first) }
}

describe.skipIf(!findChromium())('the weight of pages for players (needs Chromium)', () => {
  let browser: Browser
  let world: World
  let crew: Crew
  let userId: string
  let game: Readonly<{ id: number; title: string }>
  const task = { title: 'Plimsoll Line', flag: 'flag{plimsoll}' }
  beforeAll(async () => {
    const started = inject('world')
    if (!started) throw new Error('There is no platform to test')
    world = started
    const organizer = await Organizer.logIn(world)
    // Start the game now, so that lists show it first. The games of other tests started an hour ago.
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

  type Screen = [screen: string, path: () => string, useful: () => string]
  const screens = selectTestCases<Screen>(
    [
      ['challenges', () => `/games/${game.id}/challenges`, () => task.title],
      ['scoreboard', () => `/games/${game.id}/scoreboard`, () => crew.teamName],
    ],
    [
      ['home', () => '/', () => game.title],
      ['games', () => '/games', () => game.title],
      ['game', () => `/games/${game.id}`, () => game.title],
      ['teams', () => '/teams', () => crew.teamName],
      ['profile', () => '/account/profile', () => crew.userName],
      ['page of a team', () => `/teams/${crew.teamId}`, () => game.title],
      ['page of a player', () => `/players/${userId}`, () => game.title],
      ['posts', () => '/posts', () => 'Posts'],
    ],
  )

  test.each(screens)(
    'the inline script of the page requests exactly the necessary files, each file once: %s',
    async (_screen, path, useful) => {
      const visit = async (isEarly: boolean) => {
        const { page, close } = await openPage(browser, world.baseUrl, { actor: crew.actor, isNew: true })
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
      // The page's inline script makes this call before the entry script is loaded.
      expect(beforeTexts).toContain('/api/account/session')
      const isAskedAgain = (address: string, at: number) => early.asked.indexOf(address) < at && !early.failed.has(address)
      expect(early.asked.filter((address, at) => isFile(address) && isAskedAgain(address, at))).toEqual([])
    },
  )

  test.each(screens)('%s needs few calls to show content, and loads few small scripts', async (_screen, path, useful) => {
    const { page, errors, close } = await openPage(browser, world.baseUrl, { actor: crew.actor, isNew: true })
    const { bytes, files } = await weigh(page, path(), useful())
    await close()
    expect(errors).toEqual([])
    expect(bytes).toBeGreaterThan(0)
    expect(bytes, 'bytes of script').toBeLessThanOrEqual(bounds.maxBytes)
    expect(files, 'files of script').toBeLessThanOrEqual(bounds.maxFiles)
  })
})
