import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { findFreePort } from '../support/free-port.ts'
import { type Mailbox, openMailbox } from '../support/mailbox.ts'
import { aCrew, Organizer } from '../support/organizer.ts'
import { type Platform, startPlatform } from '../support/platform.ts'
import { findAxeViolations, openPage } from '../support/story.ts'

describe.skipIf(!inject('world'))('mails to the participants of a game (needs Chromium)', () => {
  let browser: Browser
  let mailbox: Mailbox
  let platform: Platform
  let baseUrl: string
  beforeAll(async () => {
    browser = await connectBrowser(inject('browser'))
    mailbox = await openMailbox()
    const port = await findFreePort()
    baseUrl = `http://localhost:${port}`
    const env = {
      CAPSTAN_PUBLIC_ORIGIN: baseUrl,
      CAPSTAN_SMTP_URL: mailbox.url,
      CAPSTAN_SMTP_FROM: 'quay@example.org',
    }
    platform = await startPlatform({ isEmpty: true, port, env })
  })
  afterAll(async () => {
    await platform?.remove()
    mailbox?.close()
    await browser?.close()
  })

  test('an admin writes a mail on a phone, and a player unsubscribes by the link in the mail', async () => {
    const organizer = await Organizer.logIn({ ...platform.world, baseUrl })
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
