import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ApiActor } from '../support/actors.ts'
import { connectBrowser } from '../support/browser.ts'
import { enterGame, findChallenge, type Player } from '../support/player.ts'
import { axeFindings, openPage, openSettled } from '../support/story.ts'

const world = inject('world')

const visitorPages = [
  '/',
  '/games',
  '/games/{id}',
  '/games/{id}/scoreboard',
  '/posts',
  '/posts/{post}',
  '/about',
  '/teams',
  '/teams/{team}',
  '/teams/999999999',
  '/players/{player}',
  '/account/login',
  '/account/register',
  '/account/recovery',
  '/account/reset?token=eA&email=eA',
  '/account/verify?token=eA&email=bWlyYUBleGFtcGxlLm9yZw',
  '/nowhere',
]
const playerPages = [
  '/',
  '/teams',
  '/teams/{team}',
  '/players/{player}',
  '/account/profile',
  '/games/{id}',
  '/games/{id}/challenges',
  '/games/{id}/challenges/{challenge}',
  '/games/{id}/scoreboard',
  '/games/{id}/notice',
]
const views = [
  { scheme: 'dark', width: 1440 },
  { scheme: 'light', width: 390 },
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
    player = await enterGame(baseUrl, gameId)
    const challenge = await findChallenge(player, 'harbour-seal')
    const [post] = await visitor.call(operations.listPosts)
    const [team] = await player.actor.call(operations.listOwnTeams)
    const { userId } = await player.actor.call(operations.getOwnProfile)
    fill = (path) =>
      path
        .replace('{id}', String(gameId))
        .replace('{challenge}', String(challenge.id))
        .replace('{post}', post?.id ?? '')
        .replace('{team}', String(team?.id))
        .replace('{player}', userId)
  })
  afterAll(() => browser?.close())

  /** What is wrong with a page: findings of axe, and what sticks out of the window. */
  const faultsOf = async (page: Page, path: string): Promise<string[]> => {
    await openSettled(page, fill(path))
    const excess = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    return [...(await axeFindings(page)), ...(excess > 0 ? [`sticks out by ${excess} px`] : [])]
  }

  test.each(
    views.flatMap((view) => [
      { ...view, who: 'visitor' },
      { ...view, who: 'player' },
    ]),
  )('a $who at $width px in $scheme: axe finds nothing, and nothing sticks out', async ({ scheme, width, who }) => {
    const isPlayer = who === 'player'
    const { page, errors, close } = await openPage(browser, baseUrl, { scheme, width, ...(isPlayer && { actor: player.actor }) })
    const faults: string[] = []
    for (const path of isPlayer ? playerPages : visitorPages) {
      faults.push(...(await faultsOf(page, path)).map((fault) => `${path}: ${fault}`))
    }
    expect(faults).toEqual([])
    expect(errors).toEqual([])
    await close()
  })
})
