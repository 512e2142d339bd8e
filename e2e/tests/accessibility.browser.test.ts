import { Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ApiActor } from '../support/actors.ts'
import { connectBrowser } from '../support/browser.ts'
import { isFullRun, selectTestCases } from '../support/full-run.ts'
import { aCrew, type Crew, Organizer } from '../support/organizer.ts'
import { createPlayerInGame, findChallenge, type Player, startInstance } from '../support/player.ts'
import { findFocusFaults, findSmallTargets, switchInputMethod } from '../support/reach.ts'
import { emulateColorScheme, findAxeViolations, openLoadedPage, openPage, waitUntilLoaded } from '../support/story.ts'

const world = inject('world')

const visitorPages = selectTestCases(
  ['/games/{id}', '/account/register'],
  [
    '/',
    '/games',
    '/games/{id}/scoreboard',
    '/posts',
    '/posts/{post}',
    '/about',
    '/teams',
    '/teams/{team}',
    '/teams/999999999',
    '/players/{player}',
    '/account/login',
    '/account/recovery',
    '/account/reset?token=eA&email=eA',
    '/account/verify?token=eA&email=bWlyYUBleGFtcGxlLm9yZw',
    '/account/unsubscribe?token=eA',
    '/nowhere',
  ],
)
const playerPages = selectTestCases(
  ['/', '/games/{id}/challenges/{challenge}', '/games/{id}/scoreboard'],
  [
    ...['/games/{id}', '/games/{past}', '/games/{id}/challenges', '/games/{id}/notice'],
    ...['/teams', '/teams/{team}', '/players/{player}', '/account/profile'],
  ],
)
/**
 * Color schemes and window sizes. The test opens each page with the first combination, and then changes to the second
 * combination.
 */
const views = [
  { scheme: 'dark', width: 1440, isTouch: false },
  { scheme: 'light', width: 390, isTouch: true },
] as const

describe.skipIf(!world)('every page of players and visitors (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let player: Player
  let fill: (path: string) => string
  beforeAll(async () => {
    browser = await connectBrowser(inject('browser'))
    const visitor = new ApiActor(baseUrl)
    const gameId = inject('demoGameId')
    player = await createPlayerInGame(baseUrl, gameId)
    const challenge = await findChallenge(player, 'harbour-seal')
    const [post] = await visitor.call(operations.listPosts)
    const [team] = await player.actor.call(operations.listOwnTeams)
    const { userId } = await player.actor.call(operations.getOwnProfile)
    // Start an instance, which the home page, the status strip and the challenge then show.
    await startInstance(player, challenge.id)
    const past = world ? await (await Organizer.logIn(world)).openPastGame(player) : 0
    fill = (path) =>
      path
        .replace('{id}', String(gameId))
        .replace('{past}', String(past))
        .replace('{challenge}', String(challenge.id))
        .replace('{post}', post?.id ?? '')
        .replace('{team}', String(team?.id))
        .replace('{player}', userId)
  })
  afterAll(() => browser?.close())

  /** Returns the faults of the page: findings of axe, a wrong number of h1 headings, and content wider than the window. */
  const faultsOf = async (page: Page): Promise<string[]> => {
    await waitUntilLoaded(page)
    const excess = () =>
      page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)')
    // Wait a moment, because scripts measure some elements and adapt their width to the window.
    await expect.poll(excess, { message: 'px that stick out' }).toBe(0)
    const headings = await page.locator('h1').count()
    return [...(await findAxeViolations(page)), ...(headings === 1 ? [] : [`has ${headings} first headings`])]
  }

  describe.each([
    { who: 'visitor', pages: visitorPages },
    { who: 'player', pages: playerPages },
  ])('pages that a $who can open', ({ who, pages }) => {
    let opened: Awaited<ReturnType<typeof openPage>>
    beforeAll(async () => {
      const actor = who === 'player' ? { actor: player.actor } : {}
      opened = await openPage(browser, baseUrl, { ...actor, followsSystem: true })
    })
    afterAll(() => opened.close())

    test.each(pages)(
      '%s passes axe, fits the window, and works by keyboard in the dark scheme and by touch in the light scheme',
      async (path) => {
        const { page, errors } = opened
        const [first] = views
        await page.setViewportSize({ width: first.width, height: 900 })
        await page.emulateMedia({ colorScheme: first.scheme })
        await switchInputMethod(page, first.isTouch)
        await openLoadedPage(page, fill(path))
        for (const { scheme, width, isTouch } of views) {
          await page.setViewportSize({ width, height: 900 })
          await emulateColorScheme(page, scheme)
          await switchInputMethod(page, isTouch)
          expect(await faultsOf(page), `${width} px`).toEqual([])
          if (isTouch) expect(await findSmallTargets(page)).toEqual([])
          // Skip most pages of visitors, because they have the same focus stops as the pages of players.
          else if (who === 'player' || path.startsWith('/account/')) expect(await findFocusFaults(page)).toEqual([])
        }
        expect(errors).toEqual([])
      },
    )
  })

  if (isFullRun)
    test('the list of all solvers and a card with the badge "New" have no accessibility faults', async () => {
      const organizer = await Organizer.logIn(world as NonNullable<typeof world>)
      const { id, challenges } = await organizer.openGame({}, [{ title: 'Buoy', flag: 'flag{afloat}' }])
      const challengeId = challenges.get('Buoy') ?? 0
      const solve = async (team: Pick<Crew, 'actor' | 'teamId'>) => {
        await team.actor.join(id, team.teamId)
        await team.actor.submitFlag(id, challengeId, 'flag{afloat}')
      }
      await solve(player)
      for (let at = 0; at < Limits.latestSolvers; at += 1) await solve(await aCrew(baseUrl))
      const { page, errors, close } = await openPage(browser, baseUrl, { actor: player.actor, followsSystem: true })
      await openLoadedPage(page, `/games/${id}/challenges`)
      await organizer.addTask(id, { title: 'Cleat', flag: 'flag{fast}' })
      const faultsInViews = async () => {
        for (const { scheme, width, isTouch } of views) {
          await page.setViewportSize({ width, height: 900 })
          await emulateColorScheme(page, scheme)
          await switchInputMethod(page, isTouch)
          expect(await faultsOf(page), `${width} px`).toEqual([])
          expect(isTouch ? await findSmallTargets(page) : await findFocusFaults(page), `${width} px`).toEqual([])
        }
      }
      // When the player opens the page again, the link to the new challenge shows the badge "New".
      await openLoadedPage(page, `/games/${id}/challenges`)
      await page.getByRole('link', { name: 'Cleat' }).getByText('New', { exact: true }).waitFor()
      await faultsInViews()
      await openLoadedPage(page, `/games/${id}/challenges/${challengeId}`)
      await page.getByRole('button', { name: 'and 1 more team' }).click()
      await page.getByRole('dialog', { name: 'Teams that solved Buoy' }).waitFor()
      await faultsInViews()
      expect(errors).toEqual([])
      await close()
    })

  test('the first focus stop of a page skips the navigation', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl)
    await openLoadedPage(page, '/games')
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'Skip to content' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.getByRole('main').locator(':focus').waitFor()
    expect(errors).toEqual([])
    await close()
  })
})
