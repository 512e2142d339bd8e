import { findFreePort } from '@capstan/challenge-instance/testing/find-free-port'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { startCtftime } from '../support/ctftime.ts'
import { testClient } from '../support/identity-provider.ts'
import { Organizer } from '../support/organizer.ts'
import { type Platform, startPlatform } from '../support/platform.ts'
import { addProvider, enableProvider } from '../support/sign-in.ts'
import { createTeamByForm, openPage, registerByForm } from '../support/story.ts'
import type { World } from '../support/world.ts'

const team = { id: 4242, name: 'Deck Hands' }
const users = [
  { id: 7, name: 'bosun', email: 'bosun@ships.example', team },
  { id: 8, name: 'purser', email: 'purser@ships.example', team },
  { id: 9, name: 'pirate', email: 'pirate@ships.example', team: { id: 6666, name: team.name } },
]

async function logInAtCtftime(page: Page, user: string): Promise<void> {
  await page.getByRole('heading', { name: 'CTFtime' }).waitFor()
  await page.getByRole('button', { name: user, exact: true }).click()
}

describe.skipIf(!inject('world'))('a sign-in at CTFtime (needs Chromium)', () => {
  let browser: Browser
  let platform: Platform
  let world: World
  let ctftime: Awaited<ReturnType<typeof startCtftime>>
  beforeAll(async () => {
    const port = await findFreePort()
    const origin = `http://localhost:${port}`
    ctftime = await startCtftime(`${origin}/account/sign-in/ctftime`, users)
    browser = await launchBrowser(ctftime.browserFlags)
    const env = { CAPSTAN_PUBLIC_ORIGIN: origin, ...ctftime.platformEnv }
    platform = await startPlatform({ isEmpty: true, port, env })
    world = { ...platform.world, baseUrl: origin }
  })
  afterAll(async () => {
    await platform?.remove()
    await browser?.close()
    await ctftime?.close()
  })

  async function signIn(user: string) {
    const visitor = await openPage(browser, world.baseUrl)
    await visitor.page.goto('/account/login?from=%2Fteams')
    await visitor.page.getByRole('button', { name: 'Continue with CTFtime' }).click()
    await logInAtCtftime(visitor.page, user)
    await visitor.page.waitForURL(`${world.baseUrl}/teams`)
    return visitor
  }

  test('a sign-in adds players to CTFtime teams by id, and never by name alone', async () => {
    const { baseUrl } = world
    const squatter = await openPage(browser, baseUrl)
    const newcomer = { userName: 'squatter', password: 'Anchor-chain-9', teamName: team.name }
    await registerByForm(squatter.page, newcomer)
    await createTeamByForm(squatter.page, newcomer)

    const { actor } = await Organizer.logIn(world)
    const desk = await openPage(browser, baseUrl, { actor })
    await addProvider(desk.page, baseUrl, {
      kind: 'Ctftime',
      ...{ Name: 'CTFtime', Key: 'ctftime', 'Client ID': testClient.id, 'Client secret': testClient.secret },
    })
    await desk.page.getByRole('button', { name: 'Test a sign-in with CTFtime' }).click()
    await logInAtCtftime(desk.page, 'bosun')
    await desk.page.getByText(`${team.name} ${team.id}`).waitFor()
    await desk.page.getByRole('link', { name: 'Back to the providers' }).click()
    await enableProvider(desk.page, 'CTFtime')

    const captain = await signIn('bosun')
    await captain.page.getByRole('heading', { name: `${team.name}2` }).waitFor()
    const mate = await signIn('purser')
    await mate.page.getByRole('heading', { name: `${team.name}2` }).waitFor()
    await mate.page.getByText('bosun').first().waitFor()
    const pirate = await signIn('pirate')
    await pirate.page.getByRole('heading', { name: `${team.name}3` }).waitFor()
    await squatter.page.reload()
    await squatter.page.getByRole('heading', { name: team.name, exact: true }).waitFor()
    expect(await squatter.page.getByText(/bosun|purser/).count()).toBe(0)
    const pages = [squatter, desk, captain, mate, pirate]
    expect(pages.flatMap(({ errors }) => errors)).toEqual([])
    for (const { close } of pages) await close()
  })
})
