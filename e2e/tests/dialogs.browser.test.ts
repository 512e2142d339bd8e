import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ApiActor } from '../support/actors.ts'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, type Crew, Organizer } from '../support/organizer.ts'
import { findFocusFaults } from '../support/reach.ts'
import { openLoadedPage, openPage } from '../support/story.ts'

const world = inject('world')
const task = { title: 'Lead Line', flag: 'flag{lead}' }

/**
 * Opens a game without activity. Toasts about activity would cover parts of the page, receive the Escape key, and reorder the
 * board.
 */
async function openQuietGame() {
  return (await Organizer.logIn(world as NonNullable<typeof world>)).openGame({}, [task])
}

function placesOf(page: Page) {
  return page.evaluate(() => {
    const boxOf = (selector: string) => {
      const box = document.querySelector(selector)?.getBoundingClientRect()
      return box && { top: Math.round(box.top), height: Math.round(box.height), width: Math.round(box.width) }
    }
    return {
      rail: boxOf('header'),
      // The countdown changes the width of the status, so the test ignores the width.
      status: { ...boxOf('[aria-label="Game status"]'), width: undefined },
      // Ignore the height, because the page may still grow. The content of the page must not move.
      content: { ...boxOf('main'), height: undefined },
      scrolled: Math.round(scrollY),
    }
  })
}

describe.skipIf(!world)('a dialog over a scrolled page (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let gameId: number
  beforeAll(async () => {
    gameId = (await openQuietGame()).id
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  test.each([1440, 390])(
    'an open dialog does not move the navigation, the status strip or the content at %i px',
    async (width) => {
      const { page, errors, close } = await openPage(browser, baseUrl, { width, actor: new ApiActor(baseUrl) })
      await openLoadedPage(page, `/games/${gameId}`)
      await page.getByRole('region', { name: 'Game status' }).waitFor()
      // Make the page long enough to scroll.
      await page.evaluate(() => document.querySelector('main')?.style.setProperty('padding-block-end', '2000px'))
      await page.mouse.move(width / 2, 400)
      await page.evaluate(() => scrollTo(0, 400))
      await page.waitForFunction(() => scrollY === 400)
      const before = await placesOf(page)
      expect(before.rail?.top).toBeGreaterThanOrEqual(0)
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      expect(await placesOf(page)).toEqual(before)
      // The page behind an open dialog must not scroll.
      await page.mouse.wheel(0, 400)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      expect(await placesOf(page)).toEqual(before)
      expect(errors).toEqual([])
      await close()
    },
  )
})

/** Menus and dialogs: the page, the button that opens them, and the role of the opened element. */
const opened = [
  { at: '/', button: 'Account', role: 'menu', who: 'visitor' },
  { at: '/account/profile', button: 'Change avatar', role: 'dialog' },
  { at: '/teams', button: 'Join with a code', role: 'dialog' },
  { at: '/teams', button: 'Edit', role: 'dialog' },
  { at: '/teams', button: /^More actions for /, role: 'menu' },
  { at: '/teams', button: 'Renew', role: 'alertdialog' },
  { at: '/games/{game}/scoreboard', button: 'Export', role: 'menu' },
  { at: '/games/{game}/scoreboard', button: /^Crew /, role: 'dialog' },
] as const

describe.skipIf(!world)('menus and dialogs, operated only by keyboard (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let crew: Crew
  let gameId: number
  let challengeId: number
  beforeAll(async () => {
    const { id, challenges } = await openQuietGame()
    gameId = id
    challengeId = challenges.get(task.title) ?? 0
    crew = await aCrew(baseUrl)
    await crew.actor.join(gameId, crew.teamId)
    await crew.actor.submitFlag(gameId, challengeId, task.flag)
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  test.each(opened)(
    'on $at, $button opens a $role that gets the focus, and the focus returns to the button when the $role closes',
    async (each) => {
      const actor = 'who' in each ? {} : { actor: crew.actor }
      const { page, errors, close } = await openPage(browser, baseUrl, actor)
      await openLoadedPage(page, each.at.replace('{game}', String(gameId)))
      const button = page.getByRole('button', { name: each.button }).first()
      await button.focus()
      await page.keyboard.press('Enter')
      const layer = page.getByRole(each.role)
      if (each.role === 'menu') await layer.getByRole('menuitem').first().and(page.locator(':focus')).waitFor()
      else {
        await layer.and(page.locator(':focus-within')).waitFor()
        expect(await findFocusFaults(page)).toEqual([])
      }
      await page.keyboard.press('Escape')
      await layer.waitFor({ state: 'hidden' })
      await button.and(page.locator(':focus')).waitFor()
      expect(errors).toEqual([])
      await close()
    },
  )

  test('keyboard shortcuts work on the board, but not while a challenge is open', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl, { actor: crew.actor })
    await openLoadedPage(page, `/games/${gameId}/challenges/${challengeId}`)
    const opened = page.getByRole('dialog', { name: task.title })
    await opened.waitFor()
    await page.keyboard.type('?gs')
    await page.keyboard.press('Escape')
    await opened.waitFor({ state: 'hidden' })
    expect(new URL(page.url()).pathname).toBe(`/games/${gameId}/challenges`)
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.waitFor()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'hidden' })
    await page.keyboard.type('gs')
    await page.waitForURL('**/scoreboard')
    expect(errors).toEqual([])
    await close()
  })

  test('if a user types while the search is loading, the text appears in the search field', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl, { actor: crew.actor })
    const typed = Promise.withResolvers<void>()
    await page.route('**/global-palette*.js', async (route) => {
      await typed.promise
      await route.continue()
    })
    await openLoadedPage(page, `/games/${gameId}/challenges`)
    await page.keyboard.press('Control+k')
    // If the search did not have the focus, the keys `g` and `s` would open the scoreboard.
    await page.keyboard.type('g s')
    typed.resolve()
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('eal')
    expect(await page.getByRole('combobox').inputValue()).toBe('g seal')
    expect(new URL(page.url()).pathname).toMatch(/challenges$/)
    expect(errors).toEqual([])
    await close()
  })
})
