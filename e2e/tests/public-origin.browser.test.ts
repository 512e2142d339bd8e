import { findFreePort } from '@capstan/challenge-instance/testing/find-free-port'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { startIdentityProvider, testClient } from '../support/identity-provider.ts'
import { type Mailbox, openMailbox } from '../support/mailbox.ts'
import { aCrew, aPlayer, Organizer } from '../support/organizer.ts'
import { type Platform, startPlatform } from '../support/platform.ts'
import { addProvider, changeProvider, enableProvider } from '../support/sign-in.ts'
import { findAxeViolations, openPage } from '../support/story.ts'
import type { World } from '../support/world.ts'

async function logInAtProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.getByText('Authorize').first().waitFor()
  await page.locator('button[type=submit]').click()
}

describe.skipIf(!inject('world'))('a platform with a public origin (needs Chromium)', () => {
  let browser: Browser
  let mailbox: Mailbox
  let platform: Platform
  let world: World
  let provider: Awaited<ReturnType<typeof startIdentityProvider>>
  beforeAll(async () => {
    browser = await connectBrowser(inject('browser'))
    const port = await findFreePort()
    // Use a host name instead of an address, because passkeys need a host name.
    const origin = `http://localhost:${port}`
    provider = await startIdentityProvider(`${origin}/account/sign-in/campus`, {
      ada: { email: 'ada@uni.example', email_verified: true, preferred_username: 'ada', name: 'Ada Lovelace' },
    })
    mailbox = await openMailbox()
    const env = {
      ...{ CAPSTAN_PUBLIC_ORIGIN: origin, CAPSTAN_OUTGOING_ALLOWED: '127.0.0.1', CAPSTAN_OUTGOING_HTTP: 'on' },
      ...{ CAPSTAN_SMTP_URL: mailbox.url, CAPSTAN_SMTP_FROM: 'quay@example.org' },
    }
    platform = await startPlatform({ isEmpty: true, port, env })
    world = { ...platform.world, baseUrl: origin }
  })
  afterAll(async () => {
    await platform?.remove()
    await provider?.close()
    mailbox?.close()
    await browser?.close()
  })

  test('an admin adds a provider, tests it and enables it, and a player logs in with it', async () => {
    const { baseUrl } = world
    const { actor } = await Organizer.logIn(world)
    const desk = await openPage(browser, baseUrl, { actor })
    await addProvider(desk.page, baseUrl, {
      Name: 'Campus',
      Key: 'campus',
      Issuer: provider.issuer,
      'Client ID': testClient.id,
      'Client secret': testClient.secret,
    })
    await desk.page.getByRole('button', { name: 'Test a sign-in with Campus' }).click()
    await logInAtProvider(desk.page, 'ada')
    await desk.page.getByText('ada@uni.example (verified)').waitFor()
    await desk.page.getByRole('link', { name: 'Back to the providers' }).click()
    await changeProvider(desk.page, 'Campus', () =>
      desk.page.getByRole('switch', { name: 'Log out at the provider too' }).click(),
    )
    await enableProvider(desk.page, 'Campus')

    const visitor = await openPage(browser, baseUrl)
    await visitor.page.goto('/account/login?from=%2Faccount%2Fprofile')
    await visitor.page.getByRole('button', { name: 'Continue with Campus' }).click()
    await logInAtProvider(visitor.page, 'ada')
    await visitor.page.waitForURL(`${baseUrl}/account/profile`)
    expect(await visitor.page.getByLabel('Username').inputValue()).toBe('ada')
    await visitor.page.getByRole('button', { name: 'Unlink Campus' }).click()
    await visitor.page.getByText('This is the only way into your account.').first().waitFor()

    // The session at the provider must also end. Otherwise, the provider would log the next user in without a password.
    await visitor.page.getByRole('button', { name: 'ada', exact: true }).click()
    await visitor.page.getByRole('menuitem', { name: 'Log out' }).click()
    await visitor.page.getByRole('button', { name: /sign me out/i }).click()
    await visitor.page.waitForURL(`${baseUrl}/account/login`)
    await visitor.page.getByRole('button', { name: 'Continue with Campus' }).click()
    await visitor.page.locator('input[name=login]').waitFor()
    expect(visitor.errors).toEqual([])
    await visitor.close()
    await desk.close()
  })

  test('a player adds a passkey, logs in with it, and removes it', async () => {
    const player = await aPlayer(world.baseUrl)
    const { page, errors, close } = await openPage(browser, world.baseUrl, { actor: player.actor, width: 390, height: 844 })
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('WebAuthn.enable')
    const options = { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true } as const
    await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, hasUserVerification: true, isUserVerified: true },
    })
    await page.goto('/account/profile')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Work laptop')
    await dialog.getByLabel('Current password').fill(player.password)
    expect(await findAxeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByText('never used').waitFor()
    expect(await findAxeViolations(page)).toEqual([])

    await page.context().clearCookies()
    await page.goto('/account/login?from=%2Faccount%2Fprofile')
    await page.getByLabel('Username or email').fill(player.userName)
    await page.getByLabel('Password', { exact: true }).fill(player.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    const button = page.getByRole('button', { name: 'Use a passkey' })
    await button.waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    await button.click()
    await page.waitForURL('**/account/profile')

    await page.getByRole('button', { name: 'Remove “Work laptop”' }).click()
    await dialog.getByLabel('Current password').fill(player.password)
    expect(await findAxeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('The passkey was removed').first().waitFor()
    await page.getByRole('button', { name: 'Remove “Work laptop”' }).waitFor({ state: 'detached' })
    expect(errors).toEqual([])
    await close()
  })

  test('an admin writes a mail on a phone, and a player unsubscribes by the link in the mail', async () => {
    const { baseUrl } = world
    const organizer = await Organizer.logIn(world)
    const policy = { allowRegister: true, activeOnRegister: true, emailConfirmationRequired: false, useCaptcha: false }
    await organizer.setAccountPolicy(policy)
    const game = await organizer.openGame()
    const crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)

    const desk = await openPage(browser, baseUrl, { actor: organizer.actor, width: 390 })
    await desk.page.goto(`/admin/games/${game.id}/notices`)
    await desk.page.getByRole('button', { name: 'Write email' }).click()
    const dialog = desk.page.getByRole('dialog')
    await dialog.getByText('Participants who get the email: 1').waitFor()
    await dialog.getByLabel('Subject').fill('Welcome aboard')
    await dialog.getByLabel('Text', { exact: true }).fill('We cast off at noon.')
    expect(await findAxeViolations(desk.page)).toEqual([])
    const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await desk.page.evaluate<number>(excess)).toBe(0)
    await dialog.getByRole('button', { name: 'Send email' }).click()
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Send email' }).click()
    await desk.page.getByText('Email queued', { exact: true }).waitFor()
    expect(desk.errors).toEqual([])
    await desk.close()

    const link = await mailbox.linkFor(`${crew.userName}@example.org`, '/account/unsubscribe')
    const reader = await openPage(browser, baseUrl, { width: 390 })
    await reader.page.goto(link)
    await reader.page.getByRole('button', { name: 'Unsubscribe' }).click()
    await reader.page.getByText('You are unsubscribed', { exact: true }).waitFor()
    expect(await findAxeViolations(reader.page)).toEqual([])
    expect(reader.errors).toEqual([])
    await reader.close()

    const profile = await openPage(browser, baseUrl, { actor: crew.actor })
    await profile.page.goto('/account/profile')
    const control = profile.page.getByRole('switch', { name: 'Get emails from games' })
    await expect.poll(() => control.isEnabled()).toBe(true)
    expect(await control.isChecked()).toBe(false)
    await profile.close()
  })
})
