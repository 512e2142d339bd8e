import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, Organizer } from '../support/organizer.ts'
import { openPage, waitUntilLoaded } from '../support/story.ts'

const world = inject('world')

/** Maximum sum of the layout shifts of a page load. */
const maxShift = 0.05
/** Number of teams for which the scoreboard also shows the user's team in a row at the top. */
const manyTeams = 10

/** Sums up the layout shifts of the page, except those after user input. */
const observeShifts = `
  const shifts = { sum: 0 }
  const add = (list) => { for (const { value, hadRecentInput } of list) if (!hadRecentInput) shifts.sum += value }
  const observer = new PerformanceObserver((list) => add(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  window.readShifts = () => { add(observer.takeRecords()); return shifts.sum }
`

/** Waits for the next two frames, so that the browser has recorded all shifts, and returns their sum. */
async function readShifts(page: Page): Promise<number> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  return page.evaluate<number>('window.readShifts()')
}

/** Delays all calls to this path until the returned function is called. */
async function delayCall(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(
    ({ pathname }) => pathname === path,
    async (route) => {
      await promise
      await route.continue()
    },
  )
  return resolve
}

describe.skipIf(!world)('the layout of pages (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let organizer: Organizer
  beforeAll(async () => {
    organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  const open = async (options: Parameters<typeof openPage>[2]) => {
    const opened = await openPage(browser, baseUrl, options)
    await opened.page.addInitScript(observeShifts)
    return opened
  }

  test("the scoreboard reserves the space of the user's row while the response is late", async () => {
    const { id } = await organizer.openGame({}, [{ title: 'Buoy', flag: 'flag{afloat}' }])
    // One team after another, because the platform refuses a registration whose turn does not come within a minute.
    const crews: Awaited<ReturnType<typeof aCrew>>[] = []
    while (crews.length < manyTeams) {
      const crew = await aCrew(baseUrl)
      await crew.actor.join(id, crew.teamId)
      crews.push(crew)
    }
    const [own] = crews
    for (const width of [1440, 390]) {
      const { page, errors, close } = await open({ width, ...(own && { actor: own.actor }) })
      const answer = await delayCall(page, '/api/team')
      await page.goto(`/games/${id}/scoreboard`)
      const last = page.getByText(crews.at(-1)?.teamName ?? '')
      await last.waitFor()
      const before = await last.boundingBox()
      answer()
      // The user's team then has two rows.
      await page
        .getByText(own?.teamName ?? '')
        .nth(1)
        .waitFor()
      await waitUntilLoaded(page)
      expect((await last.boundingBox())?.y).toBe(before?.y)
      expect(await readShifts(page)).toBeLessThan(maxShift)
      expect(errors).toEqual([])
      await close()
    }
  })

  test('the toolbar of the scoreboard has one line in languages with long words', async () => {
    const { id, challenges } = await organizer.openGame({}, [{ title: 'Buoy', flag: 'flag{afloat}' }])
    const { actor, teamId } = await aCrew(baseUrl)
    await actor.join(id, teamId)
    await actor.submitFlag(id, challenges.get('Buoy') ?? 0, 'flag{afloat}')
    const heightIn = async (language: string) => {
      const { page, close } = await open({})
      await page.addInitScript((code) => localStorage.setItem('language', code), language)
      await page.goto(`/games/${id}/scoreboard`)
      const toolbar = page.locator('div:has(> h2 > button[aria-expanded]):has([role=radio], [role=tab], [aria-pressed])')
      await toolbar.waitFor()
      await waitUntilLoaded(page)
      const box = await toolbar.boundingBox()
      await close()
      return box?.height
    }
    const height = await heightIn('en-US')
    expect([await heightIn('ru-RU'), await heightIn('fr-FR')]).toEqual([height, height])
  })

  test('the home page reserves the space of the current game while the response is late', async () => {
    await organizer.openGame()
    for (const width of [1440, 390]) {
      const { page, errors, close } = await open({ width })
      const answer = await delayCall(page, '/api/game/all')
      await page.goto('/')
      await page.getByRole('link', { name: 'Create account' }).waitFor()
      answer()
      await page.getByRole('heading', { name: 'Running now' }).waitFor()
      await waitUntilLoaded(page)
      expect(await readShifts(page)).toBeLessThan(maxShift)
      expect(errors).toEqual([])
      await close()
    }
  })

  test('the challenge editor reserves the space of the links to other challenges while the response is late', async () => {
    const { id, challenges } = await organizer.openGame({}, [
      { title: 'Buoy', flag: 'flag{afloat}' },
      { title: 'Rope', flag: 'flag{taut}' },
    ])
    const { page, errors, close } = await open({ actor: organizer.actor })
    const answer = await delayCall(page, `/api/edit/games/${id}/challenges`)
    await page.goto(`/admin/games/${id}/challenges/${challenges.get('Buoy')}`)
    const heading = page.getByRole('heading', { level: 1, name: 'Buoy' })
    await heading.waitFor()
    const before = await heading.boundingBox()
    answer()
    await page.getByText('1 of 2').waitFor()
    expect(await heading.boundingBox()).toEqual(before)
    expect(errors).toEqual([])
    await close()
  })
})
