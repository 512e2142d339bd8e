import type { CapturedChallenge, CapturedTeam, CountedCapture } from '@capstan/contract/captures'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, type Crew, Organizer, randomSuffix, timeHoursFromNow } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')
const phone = 390
const longTitle = 'The long way round the cape, with nothing but a lead line and yesterday’s chart'

async function boxOf(part: Locator) {
  const box = await part.boundingBox()
  if (!box) throw new Error('it is not shown')
  return { ...box, right: box.x + box.width, bottom: box.y + box.height, middle: box.y + box.height / 2 }
}

describe.skipIf(!world)('the web client in a small or zoomed window (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let organizer: Organizer
  let crew: Crew
  let game: Readonly<{ id: number; title: string; challenges: ReadonlyMap<string, number> }>
  beforeAll(async () => {
    organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    game = await organizer.openGame({ title: `${'Regatta of many boats '.repeat(8)}${randomSuffix()}` }, [
      { title: longTitle, flag: 'flag{long}' },
      { title: 'Buoy', flag: 'flag{afloat}' },
    ])
    crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  const open = async (address: string, { width = phone, height = 900, actor = crew.actor } = {}) => {
    const opened = await openPage(browser, baseUrl, { width, height, actor })
    await opened.page.goto(address)
    return opened
  }

  test('the page shows recordings in steps on a phone, moves the focus to each step, and shows complete file names', async () => {
    const challenge: CapturedChallenge = {
      id: 71,
      title: 'Bilge Pump',
      category: 'Pwn',
      type: 'StaticContainer',
      isEnabled: true,
      count: 1,
    }
    const team: CapturedTeam = { id: 72, teamId: 73, name: 'Crew of the night', organization: null, avatar: null, count: 1 }
    const fileName = '20261126T001133Z-11fdb8a4.pcap'
    const file: CountedCapture = { fileName, size: 235_100, updateTime: timeHoursFromNow(-1), packets: 1190, container: null }
    const { page, errors, close } = await openPage(browser, baseUrl, { width: phone, actor: organizer.actor })
    const answer = (address: RegExp, rows: readonly unknown[]) => page.route(address, (route) => route.fulfill({ json: rows }))
    await answer(/\/captures$/i, [challenge])
    await answer(/\/captures\/71$/i, [team])
    await answer(/\/captures\/71\/72\b/i, [file])
    await page.goto(`/games/${game.id}/monitor/traffic`)
    await page.getByRole('button', { name: /^Bilge Pump/ }).click()
    await page.getByRole('region', { name: 'Teams' }).and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: /^Crew of the night/ }).click()
    await page.getByRole('region', { name: 'Files' }).and(page.locator(':focus')).first().waitFor()
    expect((await boxOf(page.getByText(fileName, { exact: true }))).height).toBeLessThan(40)
    expect(errors).toEqual([])
    await close()
  })

  test('an organizer adds a division, cannot add a second division with the same name, and deletes the first division', async () => {
    const { page, errors, close } = await open(`/admin/games/${game.id}/info`, { actor: organizer.actor })
    const focused = page.locator(':focus')
    const add = page.getByRole('button', { name: 'Add a division' })
    await add.click()
    await page.getByLabel('Name').and(focused).waitFor()
    await page.keyboard.type('Guests')
    await page.getByLabel('Teams may join').click()
    await page.getByRole('button', { name: 'Create' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Guests' })
    await row.getByText('Closed').waitFor()
    await add.and(focused).waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Name').and(focused).waitFor()
    await page.keyboard.type('Guests')
    await page.keyboard.press('Enter')
    await page.getByText('There is already a division with this name').waitFor()
    // Do not press Escape, because it might close the toast about the first division instead of the dialog.
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Edit Guests' }).click()
    await page.getByRole('button', { name: 'Delete division' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete division' }).click()
    await row.waitFor({ state: 'detached' })
    expect(errors).toEqual([])
    await close()
  })

  test('the cards of games show three lines of a long title', async () => {
    const { page, errors, close } = await open('/games')
    const title = page.getByRole('heading', { name: game.title }).first()
    const { height } = await boxOf(title)
    const lineHeight = await title.evaluate((element) => Number.parseFloat(getComputedStyle(element).lineHeight))
    expect(Math.round(height / lineHeight)).toBe(3)
    expect(errors).toEqual([])
    await close()
  })

  test('the switch and the view buttons of the board are in one line', async () => {
    const { page, errors, close } = await open(`/games/${game.id}/challenges`)
    await page.getByRole('button', { name: 'Filters' }).click()
    const [hide, view] = [page.getByRole('switch', { name: 'Hide solved' }), page.getByRole('radio', { name: 'Table' })]
    expect(Math.abs((await boxOf(hide)).middle - (await boxOf(view)).middle)).toBeLessThan(12)
    expect(errors).toEqual([])
    await close()
  })

  test('hidden texts for screen readers do not widen a page in a language with long words', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl, { width: phone, actor: crew.actor })
    await page.addInitScript("localStorage.setItem('language', 'ru-RU')")
    await page.goto(`/games/${game.id}/challenges`)
    await page.getByRole('button', { name: 'Фильтры' }).click()
    await page.getByRole('radio', { name: 'Таблица' }).waitFor()
    // Wait a moment, because scripts measure some elements and adapt their width to the window.
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(phone)
    expect(errors).toEqual([])
    await close()
  })

  test('a phone shows the first challenge without scrolling, and one button that opens and counts the filters', async () => {
    const { page, errors, close } = await open(`/games/${game.id}/challenges`, { height: 844 })
    const running = ['Buoy', 'Cleat', 'Dock'].map((title, index) => ({
      challengeId: index + 1,
      title,
      category: 'Misc',
      state: 'Running',
      startedBy: 'mira',
      startedAt: timeHoursFromNow(-1),
      expectStopAt: timeHoursFromNow(1),
    }))
    await page.route('**/api/game/*/instances', (route) => route.fulfill({ json: running }))
    await page.reload()
    await page.getByRole('button', { name: /^3 instances/ }).waitFor()
    const card = await boxOf(page.getByRole('link', { name: 'Buoy' }))
    expect(card.bottom).toBeLessThan(844 / 2)
    const filters = page.getByRole('button', { name: 'Filters' })
    const hide = page.getByRole('switch', { name: 'Hide solved' })
    expect(await hide.isVisible()).toBe(false)
    await filters.click()
    await hide.check()
    await page.getByRole('button', { name: 'Filters 1 filter on' }).click()
    expect(await hide.isVisible()).toBe(false)
    expect(errors).toEqual([])
    await close()
  })

  test.each([
    { zoom: '200 %', width: 720, height: 450 },
    { zoom: '400 %', width: 360, height: 225 },
    { zoom: 'a phone held sideways', width: 844, height: 390 },
  ])('at $zoom, no header covers the challenges, and a dialog fits into the window', async ({ width, height }) => {
    const { page, errors, close } = await open(`/games/${game.id}/challenges`, { width, height })
    const card = page.getByRole('link', { name: 'Buoy' })
    await page.addStyleTag({ content: 'main { padding-block-end: 200vh }' })
    await card.evaluate((element) => element.scrollIntoView({ block: 'start' }))
    /** Returns the tag of the landmark element at this distance from the top of the window. */
    const coveredAt = (y: number) =>
      page.evaluate<string>(
        `(() => { const top = document.elementFromPoint(innerWidth / 2, ${y}); return top.closest('header, [class*=gameTop], main, [role=dialog]')?.tagName ?? top.tagName })()`,
      )
    expect(await coveredAt(4)).toBe('MAIN')
    expect(await coveredAt(height - 4)).toBe('MAIN')
    await card.click()
    const dialog = page.getByRole('dialog')
    const submit = dialog.getByRole('button', { name: 'Submit' })
    // Scroll repeatedly, because content that is still loading above the button may move the button.
    await poll('the button to be inside the window and uncovered', async () => {
      await submit.scrollIntoViewIfNeeded()
      const isHit = await submit.evaluate((button) => {
        const { left, top, width, height } = button.getBoundingClientRect()
        return button.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      })
      return isHit && (await boxOf(submit)).bottom <= height
    })
    const frame = await boxOf(dialog)
    expect(frame.y).toBeGreaterThanOrEqual(0)
    expect(frame.bottom).toBeLessThanOrEqual(height)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width)
    expect(errors).toEqual([])
    await close()
  })

  test('a long challenge title fits into the dialog and does not cover the buttons', async () => {
    const { page, errors, close } = await open(`/games/${game.id}/challenges/${game.challenges.get(longTitle)}`)
    const sheet = page.getByRole('dialog')
    const title = await boxOf(sheet.getByRole('heading', { name: longTitle }))
    expect(title.right).toBeLessThanOrEqual((await boxOf(sheet)).right)
    const step = await boxOf(
      sheet
        .getByRole('button', { name: /next/i })
        .or(sheet.getByRole('link', { name: /next/i }))
        .first(),
    )
    expect(title.right <= step.x || title.bottom <= step.y || step.bottom <= title.y).toBe(true)
    expect(errors).toEqual([])
    await close()
  })

  test('the details of a game are in two columns, and the texts at both ends of the footer are aligned', async () => {
    const { page, errors, close } = await open(`/games/${game.id}`, { width: 900 })
    const [start, end] = [
      await boxOf(page.locator('dt').filter({ hasText: /^Start$/ })),
      await boxOf(page.locator('dt').filter({ hasText: /^End$/ })),
    ]
    expect(end.x).toBe(start.x)
    expect(end.y).toBeGreaterThan(start.y)
    const columns = await page.locator('dt').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().x))
    expect(new Set(columns).size).toBe(2)
    // Measure the letters instead of the element, because the box of a link is higher than its letters.
    const bottoms = await page.evaluate<number[]>(
      `[...document.querySelector('footer').children].map((end) => {
        const letters = document.createRange()
        letters.selectNodeContents(document.createTreeWalker(end, NodeFilter.SHOW_TEXT).nextNode())
        return Math.round(letters.getBoundingClientRect().bottom)
      })`,
    )
    expect(bottoms.length).toBe(2)
    expect(new Set(bottoms).size).toBe(1)
    expect(errors).toEqual([])
    await close()
  })
})
