import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser, findChromium } from '../support/browser.ts'
import { type Mailbox, openMailbox } from '../support/mailbox.ts'
import { aPlayer, Organizer, randomSuffix } from '../support/organizer.ts'
import { type Platform, startPlatform } from '../support/platform.ts'
import { openPage } from '../support/story.ts'

const openPolicy = { allowRegister: true, activeOnRegister: true, emailConfirmationRequired: false, useCaptcha: false }

function frameOf(pixel: string) {
  return `21f904000a0000002c0000000001000100000202${pixel}00`
}

/** Animated GIF with two frames of one pixel each. */
const movingGif = Buffer.from(
  ['47494638396101000100800000', '000000ffffff', ...['4401', '4c01'].map(frameOf), '3b'].join(''),
  'hex',
)

describe.skipIf(!findChromium())('an account (needs Chromium)', () => {
  let browser: Browser
  let mailbox: Mailbox
  let platform: Platform
  let organizer: Organizer
  let baseUrl: string
  beforeAll(async () => {
    mailbox = await openMailbox()
    platform = await startPlatform({
      isEmpty: true,
      env: { CAPSTAN_SMTP_URL: mailbox.url, CAPSTAN_SMTP_FROM: 'quay@example.org', CAPSTAN_CAPTCHA_PROVIDER: 'HashPow' },
    })
    baseUrl = platform.world.baseUrl
    organizer = await Organizer.logIn(platform.world)
    await organizer.setAccountPolicy(openPolicy)
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.remove()
    mailbox?.close()
  })

  const newcomer = () => {
    const mark = randomSuffix()
    return { userName: `new-${mark}`, email: `new-${mark}@example.org`, password: `Anchor-${mark}-9` }
  }
  const register = async (page: Page, account: ReturnType<typeof newcomer>) => {
    await page.goto('/account/register')
    await page.getByLabel('Username').fill(account.userName)
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByLabel('Repeat password').fill(account.password)
    await page.getByRole('button', { name: 'Create account' }).click()
  }
  const logIn = async (page: Page, userName: string, password: string) => {
    await page.goto('/account/login')
    await page.getByLabel('Username or email').fill(userName)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
  }

  test('the registration form shows faults of the input, preserves the input, and then registers and logs in', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl)
    const account = newcomer()
    await page.goto('/account/register')
    await page.getByLabel('Username').fill('ab')
    await page.getByLabel('Email').fill('nobody')
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByLabel('Repeat password').fill('other')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('At least 3 characters').waitFor()
    await page.getByText('Enter a valid email address').waitFor()
    await page.getByText('The repeated password is incorrect').waitFor()
    await page.getByLabel('Username').fill(account.userName)
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Repeat password').fill(account.password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('button', { name: account.userName }).waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('if an admin enables the captcha, the browser solves the captcha when a visitor registers', async () => {
    const desk = await openPage(browser, baseUrl, { actor: organizer.actor })
    await desk.page.goto('/admin/settings')
    await desk.page.getByRole('switch', { name: 'Ask for a captcha' }).click()
    await desk.page.getByRole('button', { name: 'Save changes' }).click()
    await desk.page.getByText('Settings saved. They apply immediately.', { exact: true }).waitFor()
    await desk.page.reload()
    await desk.page.getByText('Provider: HashPow.').waitFor()
    expect(desk.errors).toEqual([])
    await desk.close()

    const withoutPuzzle = newcomer()
    const refused = await fetch(new URL('/api/account/register', baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(withoutPuzzle),
    })
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ status: 400 })])

    const { page, errors, close } = await openPage(browser, baseUrl)
    const account = newcomer()
    await register(page, account)
    await page.getByRole('button', { name: account.userName }).waitFor()
    expect(errors).toEqual([])
    await close()
    await organizer.setAccountPolicy(openPolicy)
  })

  test('a new user must wait if the platform requires approval by an admin', async () => {
    await organizer.setAccountPolicy({ ...openPolicy, activeOnRegister: false })
    const { page, close } = await openPage(browser, baseUrl)
    await register(page, newcomer())
    await page.getByText('Waiting for approval').waitFor()
    await close()
  })

  test('the mailed link activates the account and logs in if the platform requires confirmed addresses', async () => {
    await organizer.setAccountPolicy({ ...openPolicy, emailConfirmationRequired: true, activeOnRegister: false })
    const { page, close } = await openPage(browser, baseUrl)
    const account = newcomer()
    await register(page, account)
    await page.getByText('Check your email').waitFor()
    await page.goto(await mailbox.linkFor(account.email, '/account/verify'))
    await page.getByText(account.email).waitFor()
    await page.getByRole('button', { name: 'Activate account' }).click()
    await page.getByRole('button', { name: account.userName }).waitFor()
    await close()
    await organizer.setAccountPolicy(openPolicy)
  })

  test('an invalid activation link shows an error', async () => {
    const { page, close } = await openPage(browser, baseUrl)
    await page.goto('/account/verify?token=eA&email=%25%25')
    await page.getByText("Ouch! There's something wrong with your activation link").waitFor()
    await page.getByText('Please check your activation link and try again').waitFor()
    await close()
  })

  test('a mailed link sets a new password, and the forgotten password no longer works', async () => {
    const player = await aPlayer(baseUrl)
    const email = `${player.userName}@example.org`
    await organizer.setAccountPolicy({ ...openPolicy, emailConfirmationRequired: true })
    const { page, close } = await openPage(browser, baseUrl)
    await page.goto('/account/recovery')
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText('Check your email').waitFor()
    await page.goto(await mailbox.linkFor(email, '/account/reset'))
    await page.getByLabel('New password', { exact: true }).fill('Capstan-4-you')
    await page.getByLabel('Repeat password').fill('Capstan-4-you')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.waitForURL('**/account/login')
    await organizer.setAccountPolicy(openPolicy)
    await logIn(page, player.userName, player.password)
    await page.getByText('Wrong username or password').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('Capstan-4-you')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('button', { name: player.userName }).waitFor()
    await close()
  })

  test('a user changes the profile, crops an avatar, and confirms a new e-mail address by a mailed link', async () => {
    const player = await aPlayer(baseUrl)
    const { page, errors, close } = await openPage(browser, baseUrl, { actor: player.actor })
    await page.goto('/account/profile')
    await page.getByLabel('Bio').fill('Ropes and knots')
    await page.getByLabel('Real name').fill('Mira Tide')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Profile saved').first().waitFor()
    await page.reload()
    await expect.poll(() => page.getByLabel('Bio').inputValue()).toBe('Ropes and knots')

    await page.getByRole('button', { name: 'Change avatar' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[type=file]').setInputFiles({ name: 'mark.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
    await dialog.getByText('Please check file format and size').waitFor()
    const image = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } })
    await dialog.locator('input[type=file]').setInputFiles({ name: 'mark.png', mimeType: 'image/png', buffer: image })
    await dialog.getByRole('group', { name: /Visible part of the image/ }).press('ArrowRight')
    await dialog.getByRole('button', { name: 'Use this image' }).click()
    await page.getByText('Avatar changed').first().waitFor()
    await page.locator('main img[src*="/assets/"]').first().waitFor()

    const useGif = async (change: (area: Locator) => Promise<void>) => {
      await page.getByRole('button', { name: 'Change avatar' }).click()
      await dialog.locator('input[type=file]').setInputFiles({ name: 'knot.gif', mimeType: 'image/gif', buffer: movingGif })
      await change(dialog.getByRole('group', { name: /Visible part of the image/ }))
      await dialog.getByRole('button', { name: 'Use this image' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    const avatar = page.locator('main img[src*="/assets/"]').first()
    const avatarBytes = async () => (await page.request.get((await avatar.getAttribute('src')) ?? '')).body()
    // An uncropped GIF is stored unchanged and remains animated. A cropped GIF is converted.
    await useGif((area) => area.waitFor())
    await expect.poll(avatarBytes).toEqual(movingGif)
    await useGif((area) => area.press('+'))
    await expect.poll(async () => (await avatarBytes()).subarray(8, 12).toString()).toBe('WEBP')

    const email = `next-${randomSuffix()}@example.org`
    await page.getByText('On this site, only an admin can change your email address.').waitFor()
    await organizer.setAccountPolicy({ ...openPolicy, emailConfirmationRequired: true })
    await page.reload()
    await page.getByLabel('New email').fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.goto(await mailbox.linkFor(email, '/account/confirm'))
    await page.getByRole('button', { name: 'Confirm email' }).click()
    await page.getByText(`Current: ${email}`).waitFor()
    await organizer.setAccountPolicy(openPolicy)
    expect(errors).toEqual([])
    await close()
  })
})
