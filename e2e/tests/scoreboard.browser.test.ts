import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { selectTestCases } from '../support/full-run.ts'
import { aCrew, type Crew, Organizer, randomSuffix } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')
const tasks = [
  { title: 'Lead Line', flag: 'flag{lead}', category: 'Crypto' },
  { title: 'Log Chip', flag: 'flag{chip}', category: 'Forensics' },
] as const

describe.skipIf(!world)('the scoreboard and the remembered settings (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  const mark = randomSuffix()
  const names = Array.from({ length: 9 }, (_, index) => `Boat ${mark} ${index}`)
  let browser: Browser
  let organizer: Organizer
  let own: Crew
  let address: string
  beforeAll(async () => {
    organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    const game = await organizer.openGame({ organizations: ['Cadets', 'Masters'] }, tasks)
    const crews: Crew[] = []
    for (const [index, name] of names.entries()) {
      const crew = await aCrew(baseUrl, name)
      await crew.actor.join(game.id, crew.teamId, index % 2 === 0 ? 'Cadets' : 'Masters')
      if (index < 2) await crew.actor.submitFlag(game.id, game.challenges.get('Lead Line') ?? 0, 'flag{lead}')
      crews.push(crew)
    }
    own = crews.at(-1) as Crew
    address = `/games/${game.id}/scoreboard`
    await poll('all teams to stand on the board', async () => {
      const board = await own.actor.call(operations.getScoreboard, { params: { id: game.id } })
      return board.items.length === names.length && board.items.filter(({ solvedCount }) => solvedCount > 0).length === 2
    })
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  const team = (page: Page, name: string) => page.getByRole('button', { name }).first()

  test('a player finds teams, switches divisions, pins the player’s team and opens details', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl, { actor: own.actor })
    await page.goto(address)
    await team(page, names[0] ?? '').waitFor()
    await page.getByRole('rowgroup', { name: 'Your team' }).getByRole('button', { name: own.teamName }).waitFor()
    const search = page.getByRole('searchbox')
    await search.fill('[13]$')
    await page.getByText('2 of 9 teams').waitFor()
    await search.fill('[')
    await page.getByText('This is not a valid regular expression').waitFor()
    await search.fill('')
    await page.getByRole('radio', { name: 'Masters' }).click()
    await page.getByText('4 teams').waitFor()
    await team(page, names[1] ?? '').click()
    const details = page.getByRole('dialog')
    await details.getByText('Lead Line').first().waitFor()
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'hidden' })
    expect(errors).toEqual([])
    await close()
  })

  test('the scoreboard can show the timeline as a table, fill the screen of a projector, and be saved as an image', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl)
    await page.goto(address)
    await page.getByRole('img', { name: /^Points over time/ }).waitFor()
    await page.getByRole('radio', { name: 'Table' }).click()
    const figures = page.getByRole('region', { name: 'Top ten over time, in figures' })
    await figures.getByRole('rowheader', { name: names[0] ?? '' }).waitFor()
    await page.getByRole('button', { name: 'Projector' }).click()
    await page.getByText('Latest solves').waitFor()
    await page.getByRole('button', { name: 'Exit full screen' }).click()
    await page.getByText('Latest solves').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Save as image' }).click()
    expect((await download).suggestedFilename()).toMatch(/\.png$/)
    expect(errors).toEqual([])
    await close()
  })

  /** Replaces the scoreboard by a scoreboard with `count` teams whose names have 24 letters. */
  const withTeams = async (page: Page, count: number) => {
    const board = await own.actor.call(operations.getScoreboard, { params: { id: Number(address.split('/')[2]) } })
    const [first] = board.items
    const items = Array.from({ length: count }, (_, index) => ({
      ...first,
      id: index + 1,
      name: `Nullpointer Navigator ${String(index + 1).padStart(2, '0')}`,
      rank: index + 1,
      score: 10_000 - index,
    }))
    const [line] = board.timeLines.all ?? []
    const lines = items.slice(0, 10).map(({ id, name }) => ({ ...line, id, name }))
    const whole = { ...board, items, timeLines: { all: lines } }
    const leading = { ...whole, items: items.slice(0, 5), teamCount: count }
    await page.route('**/api/game/*/scoreboard/leading', (route) => route.fulfill({ json: leading }))
    await page.route('**/api/game/*/scoreboard', (route) => route.fulfill({ json: whole }))
  }

  test('the scoreboard shows 15 teams on a laptop without scrolling, and rows scroll under sticky headings', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl)
    await withTeams(page, 99)
    await page.goto(address)
    await team(page, 'Navigator 15').waitFor()
    await page.getByRole('img', { name: /^Points over time/ }).waitFor()
    const seen = () =>
      page.evaluate<number>(
        "[...document.querySelectorAll('[role=row][data-team]')].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length",
      )
    await expect.poll(seen).toBe(15)
    const lines = page.getByRole('region', { name: 'Top ten over time' })
    expect((await lines.boundingBox())?.height).toBeLessThanOrEqual(220)
    await lines.getByRole('button', { name: 'Top ten over time' }).click()
    await expect.poll(seen).toBeGreaterThanOrEqual(20)
    await page.reload()
    await team(page, 'Navigator 15').waitFor()
    await expect.poll(seen).toBeGreaterThanOrEqual(20)
    const heading = page.getByRole('columnheader', { name: 'Score' })
    await page.mouse.move(700, 600)
    await page.mouse.wheel(0, 1500)
    await team(page, 'Navigator 60').waitFor()
    await poll('the heading to be below the navigation', async () => {
      const bar = await page.getByRole('navigation', { name: 'Game' }).boundingBox()
      const under = (await heading.boundingBox())?.y ?? 0
      return under > 0 && under - ((bar?.y ?? 0) + (bar?.height ?? 0)) < 80
    })
    expect(errors).toEqual([])
    await close()
  })

  test('a click on a row opens the team, and the End key focuses the last row of a long list', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl)
    await withTeams(page, 99)
    await page.goto(address)
    const row = (name: string) => page.getByRole('row', { name })
    // At first, the page shows only the leading teams.
    await page.locator('[aria-rowcount="100"]').waitFor()
    await row('Navigator 03').click({ position: { x: 900, y: 10 }, force: true })
    await page.getByRole('dialog', { name: 'Nullpointer Navigator 03' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await row('Navigator 03').getByRole('button').focus()
    await page.keyboard.press('End')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Navigator 99')
    await poll('the last row to be inside the window', async () => {
      const last = await row('Navigator 99').boundingBox()
      return last !== null && last.y + last.height <= (page.viewportSize()?.height ?? 0)
    })
    expect(errors).toEqual([])
    await close()
  })

  test('a projector shows complete names of 24 letters', async () => {
    // Open a new page for each width, because some browsers cannot resize a page in full screen.
    for (const width of selectTestCases([1280], [1440, 1920])) {
      const { page, errors, close } = await openPage(browser, baseUrl, { width })
      await withTeams(page, 30)
      await page.goto(address)
      await page.getByRole('button', { name: 'Projector' }).click()
      await page.getByRole('region', { name: 'Standings' }).last().getByText('Navigator 10').waitFor()
      const cut = () =>
        page.evaluate<string[]>(
          "[...document.querySelectorAll('[role=dialog] ol bdi')].filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent)",
        )
      await expect.poll(cut, { message: `cut names at ${width} px` }).toEqual([])
      expect(errors).toEqual([])
      await close()
    }
  })

  test('a projector on a phone shows the whole title and the lines of the chart', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl, { width: 390 })
    await withTeams(page, 30)
    await page.goto(address)
    await page.getByRole('button', { name: 'Projector' }).click()
    const projector = page.getByRole('dialog')
    await projector.getByText('Navigator 03').last().waitFor()
    const title = projector.getByRole('heading', { level: 2 })
    await expect.poll(() => title.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    const picture = projector.getByRole('img', { name: /^Points over time/ })
    await expect.poll(async () => (await picture.boundingBox())?.width).toBeGreaterThan(160)
    expect(errors).toEqual([])
    await close()
  })

  test('posts can be filtered by tag and read', async () => {
    const tag = `tag-${mark}`
    const title = `Tides of ${mark}`
    const body = { title, summary: 'High water at nine.', content: 'Bring **boots**.', tags: [tag] }
    const id = await organizer.actor.call(operations.createPost, { body })
    const { page, errors, close } = await openPage(browser, baseUrl)
    await page.goto('/posts')
    await page.getByRole('navigation', { name: 'Tags' }).getByRole('link', { name: tag }).click()
    await page.getByRole('heading', { name: title }).getByRole('link').click()
    await page.getByText('boots').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/posts/${id}`)
    expect(errors).toEqual([])
    await close()
  })

  test('language and colors are remembered for the next visit', async () => {
    const { page, close } = await openPage(browser, baseUrl)
    await page.goto('/about')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitemradio', { name: 'Light' }).click()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Language' }).click()
    await page.getByRole('button', { name: /Deutsch/ }).click()
    await page.getByRole('alertdialog', { name: 'Machine Translation' }).getByRole('button', { name: 'Confirm' }).click()
    await page.reload()
    const root = page.locator('html')
    await expect.poll(() => root.getAttribute('lang')).toBe('de-DE')
    expect(await root.getAttribute('data-scheme')).toBe('light')
    expect(await page.evaluate<string | null>("localStorage.getItem('language')")).toBe('de-DE')
    await close()
  })
})
