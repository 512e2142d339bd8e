import { randomBytes } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { getManifest, readDescription } from '../challenges/manifest.ts'
import { createSolveContext, loadSolver } from '../challenges/solve-context.ts'
import type { ApiActor } from './actors.ts'
import { connectToInstance } from './tcp-over-websocket.ts'

/** Data that a new player types to register and to create a team. */
type Newcomer = Readonly<{
  userName: string
  password: string
  teamName: string
}>

function aNewcomer(): Newcomer {
  const suffix = randomBytes(4).toString('hex')
  return { userName: `mate-${suffix}`, password: `Anchor-${suffix}-9`, teamName: `Boat ${suffix}` }
}

type PageOptions = Readonly<{
  width?: number
  height?: number
  /** Actor whose session the page uses. By default, the page has no session. */
  actor?: ApiActor
  /** True if the page follows the color scheme of the system. The scheme is dark until `emulateColorScheme` changes it. */
  followsSystem?: boolean
}>

type Scheme = 'dark' | 'light'

/** Opens a page in a separate browser session, and collects the errors of its scripts. */
export async function openPage(browser: Browser, baseUrl: string, options: PageOptions = {}) {
  const context: BrowserContext = await browser.newContext({
    baseURL: baseUrl,
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    locale: 'en-US',
    // Disable transitions, because axe cannot judge the contrast of a color during a transition.
    reducedMotion: 'reduce',
    colorScheme: 'dark',
  })
  // Ignore pointer events at the corner of the page, where the headless shell places the pointer. Such events would make pages
  // load their tooltips.
  await context.addInitScript(`addEventListener('pointerover', (event) => {
    if (event.clientX === 0 && event.clientY === 0) event.stopImmediatePropagation()
  }, true)`)
  if (options.actor) await context.addCookies(options.actor.browserCookies())
  if (options.followsSystem) {
    const stored = JSON.stringify({ state: { choice: 'auto' }, version: 0 })
    // Skip frames, because sandboxed frames have no local storage.
    await context.addInitScript(`if (window === top) localStorage.setItem('color-scheme', '${stored}')`)
  }
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  return { page, errors, close: () => context.close() }
}

/** Registers through the form, which also logs in. */
export async function registerByForm(page: Page, { userName, password }: Newcomer): Promise<void> {
  await page.goto('/account/register')
  await page.getByLabel('Username').fill(userName)
  await page.getByLabel('Email').fill(`${userName}@example.org`)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Repeat password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL((url) => !/register/i.test(url.pathname))
}

export async function createTeamByForm(page: Page, { teamName }: Newcomer): Promise<void> {
  await page.goto('/teams')
  await page.getByRole('button', { name: 'Create a team' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(teamName)
  await dialog.getByRole('button', { name: 'Create team' }).click()
  await page.getByRole('heading', { name: teamName }).waitFor()
}

/** Joins a game on its page with the player's only team, in the first division, and opens the challenges. */
async function joinByDialog(page: Page, gameId: number): Promise<void> {
  await page.goto(`/games/${gameId}`)
  await page.getByRole('button', { name: /join/i }).first().click()
  const dialog = page.getByRole('dialog')
  // Wait for the button in the dialog. The fields exist only after the dialog has opened.
  await dialog.getByRole('button', { name: /join/i }).waitFor()
  const division = dialog.getByLabel('Division')
  if ((await division.count()) > 0) await division.selectOption({ index: 1 })
  await dialog.getByRole('button', { name: /join/i }).click()
  await page.waitForURL('**/challenges')
}

export async function openChallenge(page: Page, gameId: number, slug: string): Promise<void> {
  const { title } = getManifest(slug)
  await page.goto(`/games/${gameId}/challenges`)
  await page
    .getByRole('link', { name: title })
    .or(page.getByRole('button', { name: title }))
    .first()
    .click()
  await page.getByRole('dialog').getByRole('heading', { name: title }).waitFor()
}

export async function submitFlagByForm(page: Page, flag: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Flag', exact: true }).fill(flag)
  await dialog.getByRole('button', { name: 'Submit' }).click()
}

/** Changes the color scheme of the system. The page does not reload. */
export async function emulateColorScheme(page: Page, scheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.waitForFunction((shown) => document.documentElement.dataset.scheme === shown, scheme)
}

export async function openLoadedPage(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await waitUntilLoaded(page)
}

/** Waits until the page has loaded all of its content. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page
    .locator('[data-skeleton], [aria-busy=true], [role=status][aria-label=Loading]')
    .first()
    .waitFor({ state: 'detached' })
}

/**
 * Returns the violations that axe finds on the open page. The legacy mode of axe is enough, because all frames have the same
 * origin. The default mode of axe would open an additional page for each run.
 * @param rules rules to check; by default, all rules
 */
export async function findAxeViolations(page: Page, rules?: string[]): Promise<string[]> {
  // True if an earlier check has already loaded axe into the page.
  const isThere = await page.evaluate<boolean>('"axe" in window')
  // Request only violations, because axe needs much time to locate the elements of passed rules.
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: 'void 0' }) })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

/**
 * Plays the first steps of a new player by forms and clicks: register, create a team, join, start and attack a container, submit a
 * wrong and a right flag. Waits until the player is on the scoreboard, and until another player's open page shows the notice.
 * @returns errors of the pages' scripts
 */
export async function playStoryOfNewPlayer(
  browser: Browser,
  baseUrl: string,
  gameId: number,
  slug = 'harbour-seal',
): Promise<string[]> {
  const newcomer = aNewcomer()
  const spectator = await openPage(browser, baseUrl)
  await spectator.page.goto(`/games/${gameId}/notice`)
  const { page, errors, close } = await openPage(browser, baseUrl)
  await registerByForm(page, newcomer)
  await createTeamByForm(page, newcomer)
  await joinByDialog(page, gameId)

  await openChallenge(page, gameId, slug)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Start', exact: true }).click()
  await dialog.getByRole('button', { name: 'Open terminal' }).waitFor()
  const entry = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/.exec((await dialog.textContent()) ?? '')?.[1] ?? ''
  const solve = await loadSolver(slug)
  const connect = () => connectToInstance({ entry, baseUrl })
  const flag = await solve(createSolveContext({ description: readDescription(getManifest(slug)), connect }))

  await submitFlagByForm(page, 'flag{not_this_one}')
  await dialog.getByText('Incorrect flag').waitFor()
  await submitFlagByForm(page, flag)
  await dialog
    .getByText(/Correct|Solved, /)
    .first()
    .waitFor()

  await page.goto(`/games/${gameId}/scoreboard`)
  await page.getByText(newcomer.teamName).first().waitFor()
  await spectator.page.getByText(newcomer.teamName).first().waitFor()
  await close()
  await spectator.close()
  return [...errors, ...spectator.errors]
}
