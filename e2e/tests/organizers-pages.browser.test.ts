import { defaultContainer } from '@capstan/contract/challenge-parts'
import { ContainerLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { selectTestCases } from '../support/full-run.ts'
import { aCrew, Organizer } from '../support/organizer.ts'
import { findFocusFaults, findSmallTargets, switchInputMethod } from '../support/reach.ts'
import { emulateColorScheme, findAxeViolations, openLoadedPage, openPage } from '../support/story.ts'

const world = inject('world')

/**
 * Pages of organizers and monitors. `{id}` is a game, and `{cid}` is a challenge with a container. `{several}` is a challenge with
 * several containers, and `{past}` is a game that has ended. Lists that all tests share are filtered, because a check of a hundred
 * equal rows takes a minute.
 */
const paths = selectTestCases(
  ['/admin/games?q={title}', '/admin/games/{id}/info', '/admin/games/{id}/challenges/{cid}', '/games/{id}/monitor'],
  [
    '/games/{id}/monitor/submissions',
    '/admin/users?q={user}',
    '/admin/teams?q={team}',
    '/admin/instances',
    '/admin/logs',
    '/admin/tokens',
    '/admin/sign-in',
    '/admin/webhooks',
    '/admin/webhooks',
    '/admin/settings',
    '/admin/games/{id}/notices',
    '/admin/games/{id}/review',
    '/admin/games/{id}/corrections',
    '/admin/games/{id}/writeups',
    '/admin/games/{id}/certificate',
    '/admin/games/{id}/challenges',
    '/admin/games/{id}/challenges/{cid}?section=container',
    '/admin/games/{id}/challenges/{several}?section=container',
    '/admin/games/{id}/challenges/{cid}?section=score',
    '/admin/games/{id}/challenges/{fid}/flags',
    '/admin/games/{id}/challenges/import',
    '/games/{past}/monitor',
    '/games/{id}/monitor/events',
    '/games/{id}/monitor/cheatinfo',
    '/games/{past}/monitor/survey',
    '/games/{id}/monitor/traffic',
    '/games/{id}/monitor/traffic?view=connections',
    '/games/{id}/monitor/traffic?view=recorder',
    '/posts/new/edit',
  ],
)

const widths = [1024, 1440, 1920] as const

/** Adds a challenge whose containers have long names, all networks and a port for players. @returns the id of the challenge */
async function addSeveralContainers({ actor }: Organizer, gameId: number): Promise<number> {
  const body = { title: 'Fleet', category: 'Web', type: 'StaticContainer' } as const
  const { id: cid } = await actor.call(operations.createChallenge, { params: { id: gameId }, body })
  const params = { id: gameId, cid }
  const { challenge } = await actor.call(ownOperations.getFullChallenge, { params })
  const networks = Array.from({ length: ContainerLimits.maxNetworks }, (_, index) => ({
    name: `net${index}`.padEnd(ContainerLimits.maxContainerNameLength, 'x'),
    aliases: [],
  }))
  const further = Array.from({ length: ContainerLimits.maxContainers - 1 }, (_, index) => ({
    ...defaultContainer,
    ...{ name: `ship${index}`.padEnd(ContainerLimits.maxContainerNameLength, 'y'), port: null, networks },
    definition: { furtherPorts: [9000 + index], offeredPorts: [{ port: 9000 + index, speaks: 'tcp' as const }] },
  }))
  const [entry = defaultContainer] = challenge.containers
  const containers = [{ ...entry, networks }, ...further]
  await actor.call(ownOperations.replaceChallenge, { params, body: { challenge: { ...challenge, containers } } })
  return cid
}

const sticksOut = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describe.skipIf(!world)('pages of organizers (needs Chromium)', () => {
  const baseUrl = world?.baseUrl ?? ''
  let browser: Browser
  let organizer: Organizer
  let names: Readonly<Record<string, string | number>>
  let opened: Awaited<ReturnType<typeof openPage>>
  beforeAll(async () => {
    if (!world) return
    browser = await connectBrowser(inject('browser'))
    organizer = await Organizer.logIn(world)
    const { id, title, challenges } = await organizer.openGame({ writeupRequired: true }, [
      { title: 'Buoy', flag: 'flag{afloat}' },
    ])
    const fid = challenges.get('Buoy') ?? 0
    const { id: cid } = await organizer.actor.call(operations.createChallenge, {
      params: { id },
      body: { title: 'Seal', category: 'Crypto', type: 'DynamicContainer' },
    })
    const several = await addSeveralContainers(organizer, id)
    const crew = await aCrew(baseUrl)
    await crew.actor.join(id, crew.teamId)
    await crew.actor.submitFlag(id, fid, 'flag{afloat}')
    const content = Buffer.from('%PDF-1.4\n%%EOF\n')
    await crew.actor.call(operations.submitWriteup, {
      params: { id },
      files: [{ name: 'writeup.pdf', type: 'application/pdf', content }],
    })
    names = { id, title, cid, fid, several, team: crew.teamName, user: crew.userName, past: await organizer.openPastGame(crew) }
    opened = await openPage(browser, baseUrl, { actor: organizer.actor, followsSystem: true })
  })
  afterAll(() => browser?.close())

  test.each(paths)('%s passes axe, fits the window and is operable by keys and touch', async (path) => {
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''))
    const { page, errors } = opened
    await switchInputMethod(page, false)
    await openLoadedPage(page, address)
    await emulateColorScheme(page, 'dark')
    expect(await findAxeViolations(page)).toEqual([])
    expect(await page.locator('h1').count()).toBe(1)
    // In the light scheme, check only the colors, because the elements are the same as in the dark scheme.
    await emulateColorScheme(page, 'light')
    expect(await findAxeViolations(page, ['color-contrast'])).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(() => page.evaluate<number>(sticksOut), { message: `what sticks out at ${width} px` }).toBe(0)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await findFocusFaults(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 900 })
    await switchInputMethod(page, true)
    expect(await findSmallTargets(page)).toEqual([])
    expect(errors).toEqual([])
  })
})
