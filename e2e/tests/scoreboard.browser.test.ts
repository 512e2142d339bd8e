import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, type Crew, Organizer, unique } from '../support/organizer.ts'
import { poll } from '../support/poll.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')
const tasks = [
  { title: 'Lead Line', flag: 'flag{lead}', category: 'Crypto' },
  { title: 'Log Chip', flag: 'flag{chip}', category: 'Forensics' },
] as const

describe.skipIf(!world)('the scoreboard and what is kept of a visit (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  const mark = unique()
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

  test('finds teams, switches divisions, pins the own team and opens details', async () => {
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

  test('shows its timeline as a table as well, fills a projector, and is saved as an image', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl)
    await page.goto(address)
    await page.getByRole('img', { name: /^Points over time/ }).waitFor()
    await page.getByRole('radio', { name: 'Table' }).click()
    const figures = page.getByRole('region', { name: 'Top ten over time, in figures' })
    await figures.getByRole('rowheader', { name: names[0] ?? '' }).waitFor()
    await page.getByRole('button', { name: 'Projector' }).click()
    await page.getByText('Latest solves').waitFor()
    await page.getByRole('button', { name: 'Leave full screen' }).click()
    await page.getByText('Latest solves').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Save as image' }).click()
    expect((await download).suggestedFilename()).toMatch(/\.png$/)
    expect(errors).toEqual([])
    await close()
  })

  test('posts are filtered by tag and read', async () => {
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

  test('language and colors stay for the next visit', async () => {
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
