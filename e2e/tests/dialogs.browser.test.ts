import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ApiActor } from '../support/actors.ts'
import { connectBrowser } from '../support/browser.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')

/** Where things stand in the window, and how wide they are. */
const placesOf = (page: Page) =>
  page.evaluate(() => {
    const boxOf = (selector: string) => {
      const box = document.querySelector(selector)?.getBoundingClientRect()
      return box && { top: Math.round(box.top), height: Math.round(box.height), width: Math.round(box.width) }
    }
    return {
      rail: boxOf('header'),
      // As wide as its words, which change with the time.
      status: { ...boxOf('[aria-label="Game status"]'), width: undefined },
      // The page may still grow, but what is there stays where it is.
      content: { ...boxOf('main'), height: undefined },
      scrolled: Math.round(scrollY),
    }
  })

describe.skipIf(!world)('a dialog over a scrolled page (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  beforeAll(async () => {
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  test.each([1440, 390])('leaves rail, status strip and content where they are, at %i px', async (width) => {
    const { page, errors, close } = await openPage(browser, baseUrl, { width, actor: new ApiActor(baseUrl) })
    await page.goto(`/games/${inject('demoGameId')}`)
    await page.getByRole('region', { name: 'Game status' }).waitFor()
    // Long enough to scroll, whatever the game says of itself.
    await page.evaluate(() => document.querySelector('main')?.style.setProperty('padding-block-end', '2000px'))
    await page.mouse.move(width / 2, 400)
    await page.evaluate(() => scrollTo(0, 400))
    await page.waitForFunction(() => scrollY === 400)
    const before = await placesOf(page)
    expect(before.rail?.top).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    expect(await placesOf(page)).toEqual(before)
    // What lies behind does not scroll meanwhile.
    await page.mouse.wheel(0, 400)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await placesOf(page)).toEqual(before)
    expect(errors).toEqual([])
    await close()
  })
})
