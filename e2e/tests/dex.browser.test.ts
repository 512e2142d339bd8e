import { findFreePort } from '@capstan/challenge-instance/testing/find-free-port'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { dexUser, missingForDex, startDex } from '../support/dex.ts'
import { testClient } from '../support/identity-provider.ts'
import { Organizer } from '../support/organizer.ts'
import { type Platform, startPlatform } from '../support/platform.ts'
import { addProvider, changeProvider, enableProvider } from '../support/sign-in.ts'
import { openPage } from '../support/story.ts'
import type { World } from '../support/world.ts'

/** Time limit for the build of Dex, which takes minutes on an idle machine. */
const buildMs = 1_800_000

async function logInAtDex(page: Page): Promise<void> {
  await page.locator('input[name=login]').fill(dexUser.email)
  await page.locator('input[name=password]').fill(dexUser.password)
  await page.getByRole('button', { name: 'Login' }).click()
  await page.getByRole('button', { name: 'Grant Access' }).click()
}

const missing = inject('world') ? missingForDex : 'Chromium'

describe.skipIf(missing)(`a sign-in at Dex${missing ? ` (needs ${missing})` : ''}`, () => {
  let browser: Browser
  let platform: Platform
  let world: World
  let provider: Awaited<ReturnType<typeof startDex>>
  beforeAll(async () => {
    browser = await connectBrowser(inject('browser'))
    const port = await findFreePort()
    const origin = `http://localhost:${port}`
    provider = await startDex(`${origin}/account/sign-in/dex`, await findFreePort())
    const env = { CAPSTAN_PUBLIC_ORIGIN: origin, CAPSTAN_OUTGOING_ALLOWED: '127.0.0.1', CAPSTAN_OUTGOING_HTTP: 'on' }
    platform = await startPlatform({ isEmpty: true, port, env })
    world = { ...platform.world, baseUrl: origin }
  }, buildMs)
  afterAll(async () => {
    await platform?.remove()
    await provider?.close()
    await browser?.close()
  })

  test('a player logs in after an admin has set up the provider and tested it with a real token', async () => {
    const { baseUrl } = world
    const { actor } = await Organizer.logIn(world)
    const desk = await openPage(browser, baseUrl, { actor })
    await addProvider(desk.page, baseUrl, {
      Name: 'Dex',
      Key: 'dex',
      Issuer: provider.issuer,
      'Client ID': testClient.id,
      'Client secret': testClient.secret,
    })
    // Dex sends the user name in the claim `name`.
    await changeProvider(desk.page, 'Dex', async () => {
      await desk.page.getByText('Claims and scopes').click()
      await desk.page.getByLabel('Username', { exact: true }).fill('name')
      await desk.page.getByLabel('Real name', { exact: true }).fill('')
    })
    await desk.page.getByRole('button', { name: 'Test a sign-in with Dex' }).click()
    await logInAtDex(desk.page)
    await desk.page.getByText(`${dexUser.email} (verified)`).waitFor()
    await desk.page.getByText(dexUser.username, { exact: true }).waitFor()
    await desk.page.getByText('All claims').click()
    await desk.page.getByText(`"iss": "${provider.issuer}"`).waitFor()
    await desk.page.getByRole('link', { name: 'Back to the providers' }).click()
    await enableProvider(desk.page, 'Dex')

    const visitor = await openPage(browser, baseUrl)
    await visitor.page.goto('/account/login?from=%2Faccount%2Fprofile')
    await visitor.page.getByRole('button', { name: 'Continue with Dex' }).click()
    await logInAtDex(visitor.page)
    await visitor.page.waitForURL(`${baseUrl}/account/profile`)
    expect(await visitor.page.getByLabel('Username').inputValue()).toBe(dexUser.username)
    expect([...desk.errors, ...visitor.errors]).toEqual([])
    await visitor.close()
    await desk.close()
  })
})
