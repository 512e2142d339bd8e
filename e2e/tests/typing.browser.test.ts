import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, type Crew, Organizer } from '../support/organizer.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')
const tasks = [
  { title: 'Anchor Watch', flag: 'flag{anchor}' },
  { title: 'Bilge Pump', flag: 'flag{bilge}' },
  { title: 'Crow Nest', flag: 'flag{crow}' },
] as const

/** Delays requests to `address` until `release` is called. */
async function holdBack(page: Page, address: RegExp) {
  const gate = Promise.withResolvers<void>()
  const pending: string[] = []
  await page.route(address, async (route: Route) => {
    pending.push(route.request().url())
    await gate.promise
    await route.continue()
  })
  return { pending, release: () => gate.resolve() }
}

describe.skipIf(!world)('the field for a flag (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let crew: Crew
  let board: string
  let ids: ReadonlyMap<string, number>
  beforeAll(async () => {
    const organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    const game = await organizer.openGame({}, tasks)
    crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    ids = game.challenges
    board = `/games/${game.id}/challenges`
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  const openBoard = async () => {
    const opened = await openPage(browser, baseUrl, { actor: crew.actor })
    await opened.page.goto(board)
    const card = (title: string) => opened.page.getByRole('link', { name: title })
    await card('Anchor Watch').waitFor()
    const dialog = opened.page.getByRole('dialog', { name: 'Anchor Watch' })
    return { ...opened, card, dialog, flag: dialog.getByRole('textbox', { name: 'Flag', exact: true }) }
  }

  test.each(['ctf{gnu}', 'flag{abc}', '?/jk', 'gs'])(
    'the field retains the flag %j if it is typed immediately after a click on a card',
    async (text) => {
      const { page, errors, card, flag, close } = await openBoard()
      await card('Anchor Watch').click()
      await page.keyboard.type(text)
      await expect.poll(() => flag.inputValue()).toBe(text)
      await expect.poll(() => flag.evaluate((element) => element.matches(':focus'))).toBe(true)
      expect(new URL(page.url()).pathname).toBe(`${board}/${ids.get('Anchor Watch')}`)
      expect(errors).toEqual([])
      await close()
    },
  )

  test('the field retains text that is typed or pasted while the dialog and the challenge are loading', async () => {
    const opened = await openPage(browser, baseUrl, { actor: crew.actor })
    const { page, errors } = opened
    const file = await holdBack(page, /\/static\/challenge-dialog-[^/]*\.js/)
    const data = await holdBack(page, new RegExp(`/api/game/\\d+/challenges/${ids.get('Anchor Watch')}$`))
    await page.goto(board)
    await page.getByRole('link', { name: 'Anchor Watch' }).click()
    await expect.poll(() => file.pending.length).toBeGreaterThan(0)
    await page.keyboard.type('ctf{g')
    await page.evaluate(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', ' nu ')
      document.activeElement?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    file.release()
    const flag = page.getByRole('dialog').getByRole('textbox', { name: 'Flag', exact: true })
    await expect.poll(() => flag.inputValue()).toBe('ctf{gnu')
    await expect.poll(() => data.pending.length).toBeGreaterThan(0)
    await page.keyboard.type('?}')
    data.release()
    await page.getByRole('dialog').getByText('No description.').waitFor()
    await page.keyboard.type('!')
    expect(await flag.inputValue()).toBe('ctf{gnu?}!')
    expect(errors).toEqual([])
    await opened.close()
  })

  test('the field retains text that an input method composes while the dialog is loading', async () => {
    const opened = await openPage(browser, baseUrl, { actor: crew.actor })
    const { page } = opened
    const file = await holdBack(page, /\/static\/challenge-dialog-[^/]*\.js/)
    await page.goto(board)
    await page.getByRole('link', { name: 'Anchor Watch' }).click()
    await expect.poll(() => file.pending.length).toBeGreaterThan(0)
    const input = await page.context().newCDPSession(page)
    await input.send('Input.imeSetComposition', { text: 'いか', selectionStart: 2, selectionEnd: 2 })
    file.release()
    await page.getByRole('dialog').waitFor()
    await input.send('Input.insertText', { text: '錨' })
    const flag = page.getByRole('dialog').getByRole('textbox', { name: 'Flag', exact: true })
    await expect.poll(() => flag.inputValue()).toBe('錨')
    await opened.close()
  })

  test('a player opens challenges with Enter and arrow keys, and the flag field receives only typed text', async () => {
    const { page, card, flag, close } = await openBoard()
    await card('Anchor Watch').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('x')
    await expect.poll(() => flag.inputValue()).toBe('x')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('next')
    const next = page.getByRole('dialog', { name: 'Bilge Pump' }).getByRole('textbox', { name: 'Flag', exact: true })
    await expect.poll(() => next.inputValue()).toBe('next')
    await page.getByRole('button', { name: 'Close' }).focus()
    await page.keyboard.type('g')
    await expect.poll(() => next.inputValue()).toBe('nextg')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await close()
  })

  test('the field opens no on-screen keyboard on a touch screen, but accepts an attached keyboard', async () => {
    const context = await browser.newContext({
      baseURL: baseUrl,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      locale: 'en-US',
    })
    await context.addCookies(crew.actor.browserCookies())
    const page = await context.newPage()
    await page.goto(board)
    await page.getByRole('link', { name: 'Anchor Watch' }).tap()
    const flag = page.getByRole('dialog').getByRole('textbox', { name: 'Flag', exact: true })
    await page.getByRole('dialog').getByText('No description.').waitFor()
    expect(await page.evaluate('document.activeElement instanceof HTMLInputElement')).toBe(false)
    await page.keyboard.type('gn')
    await expect.poll(() => flag.inputValue()).toBe('gn')
    await context.close()
  })

  test('the verdict on a flag appears even if the player has opened another page', async () => {
    const { page, errors, card, dialog, flag, close } = await openBoard()
    const first = await holdBack(page, new RegExp(`/challenges/${ids.get('Anchor Watch')}/verdict$`))
    await card('Anchor Watch').click()
    await flag.fill('flag{wrong}')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Next challenge' }).click()
    const next = page.getByRole('dialog', { name: 'Bilge Pump' })
    await next.getByRole('textbox', { name: 'Flag', exact: true }).fill('flag{bilge}')
    const second = await holdBack(page, new RegExp(`/challenges/${ids.get('Bilge Pump')}/verdict$`))
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Scoreboard' }).first().click()
    await page.waitForURL('**/scoreboard')
    first.release()
    second.release()
    const toast = page.getByRole('listitem').filter({ hasText: 'Anchor Watch: incorrect flag' })
    await page.getByRole('listitem').filter({ hasText: 'Bilge Pump: correct, +' }).waitFor()
    await toast.getByRole('button', { name: 'Open' }).click()
    await dialog.getByText('Incorrect flag').waitFor()
    expect(await flag.inputValue()).toBe('flag{wrong}')
    expect(errors).toEqual([])
    await close()
  })
})
