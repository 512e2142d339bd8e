import { ownOperations } from '@capstan/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { aCrew, type Crew, Organizer } from '../support/organizer.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')
const tasks = [
  { title: 'Anchor Watch', flag: 'flag{anchor}', category: 'Web' },
  { title: 'Bilge Pump', flag: 'flag{bilge}', category: 'Misc' },
  { title: 'a'.repeat(60), flag: 'flag{long}', category: 'Misc' },
] as const

describe.skipIf(!world)('the challenge board (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let crew: Crew
  let board: string
  beforeAll(async () => {
    const organizer = await Organizer.logIn(world as NonNullable<typeof world>)
    const game = await organizer.openGame({}, tasks)
    crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    await crew.actor.submitFlag(game.id, game.challenges.get('Bilge Pump') ?? 0, 'flag{bilge}')
    await organizer.actor.call(ownOperations.setChallengeLabels, {
      params: { id: game.id, cid: game.challenges.get('Bilge Pump') ?? 0 },
      body: { tags: ['pumps', 'below deck'], difficulty: 'hard' },
    })
    board = `/games/${game.id}/challenges`
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  const openBoard = async () => {
    const opened = await openPage(browser, baseUrl, { actor: crew.actor })
    await opened.page.goto(board)
    await opened.page.getByRole('link', { name: 'Anchor Watch' }).waitFor()
    const card = (title: string) => opened.page.getByRole('link', { name: title })
    return { ...opened, card, search: opened.page.getByRole('searchbox', { name: 'Search titles, tags' }) }
  }

  test('the board searches by text or regular expression, and shows all challenges and an error if the expression is invalid or slow', async () => {
    const { page, errors, card, search, close } = await openBoard()
    await search.fill('ANCHOR')
    await card('Bilge Pump').waitFor({ state: 'hidden' })
    await search.fill('^b.*p$')
    await card('Bilge Pump').waitFor()
    await card('Anchor Watch').waitFor({ state: 'hidden' })
    await search.fill('(anchor')
    await page.getByText('This is not a valid regular expression').waitFor()
    await card('Anchor Watch').waitFor()
    await search.fill('^(a+)+b')
    await page.getByText('This expression takes too long. Try a simpler one.').waitFor()
    await card('Anchor Watch').waitFor()
    await search.fill('nothing like it')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await card('Anchor Watch').waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('the board filters by tags and difficulty, and the address restores the filters', async () => {
    const { page, errors, card, search, close } = await openBoard()
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('below deck')
    await card('Anchor Watch').waitFor({ state: 'hidden' })
    await page.getByRole('combobox', { name: 'Difficulty' }).selectOption('Hard')
    await page.reload()
    await card('Bilge Pump').getByRole('img', { name: 'Difficulty: Hard' }).waitFor()
    expect(await card('Anchor Watch').count()).toBe(0)
    expect((await card('Bilge Pump').boundingBox())?.height).toBe(78)
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('Any tag')
    await page.getByRole('combobox', { name: 'Difficulty' }).selectOption('Any difficulty')
    await card('Anchor Watch').waitFor()
    await search.fill('pumps')
    await card('Anchor Watch').waitFor({ state: 'hidden' })
    await card('Bilge Pump').click()
    await page.getByRole('dialog').getByText('below deck').waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('the board hides solved challenges, and remembers this choice', async () => {
    const { page, card, close } = await openBoard()
    await card('Bilge Pump').waitFor()
    await page.getByRole('switch', { name: 'Hide solved' }).click()
    await card('Bilge Pump').waitFor({ state: 'hidden' })
    await page.reload()
    await card('Anchor Watch').waitFor()
    expect(await card('Bilge Pump').count()).toBe(0)
    await page.getByRole('switch', { name: 'Hide solved' }).click()
    await card('Bilge Pump').waitFor()
    await close()
  })

  test('by keyboard shortcuts on the board, a player searches, moves the focus, opens a challenge, lists all shortcuts, and runs a command', async () => {
    const { page, card, search, close } = await openBoard()
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    await page.keyboard.press('/')
    await expect.poll(() => search.evaluate((element) => element.matches(':focus'))).toBe(true)
    await search.fill('p')
    await card('Anchor Watch').waitFor({ state: 'hidden' })
    await search.fill('')
    await card('Anchor Watch').waitFor()
    await search.blur()
    await page.keyboard.press('j')
    expect(await focused()).toMatch(/^Bilge Pump|^a{60}/)
    const first = await focused()
    await page.keyboard.press('j')
    expect(await focused()).not.toBe(first)
    await page.keyboard.press('k')
    expect(await focused()).toBe(first)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: /^Bilge Pump|^a{60}/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expect.poll(focused).toBe(first)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Go to a page or run a command').fill('Anchor W')
    await page.getByRole('option', { name: 'Anchor Watch', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('heading', { name: 'Anchor Watch' }).waitFor()
    await close()
  })

  // This test must be last, because it solves the challenge that the other tests use.
  test('the board opens the next unsolved challenge after a solve and accepts a pasted flag there', async () => {
    const { page, errors, card, close } = await openBoard()
    await card('Anchor Watch').click()
    await page.getByRole('dialog', { name: 'Anchor Watch' }).getByLabel('Flag').fill('flag{anchor}')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Next unsolved' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    const next = page.getByRole('dialog', { name: 'a'.repeat(60) })
    const flag = next.getByLabel('Flag')
    await flag.waitFor()
    await page.evaluate(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'flag{long}')
      document.activeElement?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    await expect.poll(() => flag.inputValue()).toBe('flag{long}')
    expect(errors).toEqual([])
    await close()
  })
})
