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
  /** True if the page must be blank and have an empty cache. By default, the page may be in the session of a closed page. */
  isNew?: boolean
}>

const defaultSize = { width: 1440, height: 900 }

type Scheme = 'dark' | 'light'

/** Page in a separate browser session. */
type Session = {
  readonly baseUrl: string
  readonly page: Page
  /** Errors of the scripts of the page. */
  errors: string[]
  /** True if a test has changed the session in a way that `resetSession` does not undo. */
  isAltered: boolean
}

/** Methods that change a page or its context in a way that `resetSession` does not undo. */
const alteringMethods = {
  page: ['addInitScript', 'routeWebSocket', 'exposeFunction', 'emulateMedia'],
  context: ['addInitScript', 'newCDPSession', 'newPage', 'route', 'setOffline', 'grantPermissions'],
} as const

/** Sessions that no test uses, by connection. */
const idleSessions = new WeakMap<Browser, Session[]>()

/** Calls `act` at each call of these methods. */
function observeCalls<Target extends object>(target: Target, names: readonly (keyof Target)[], act: () => void): void {
  for (const name of names) {
    const method = target[name]
    if (typeof method !== 'function') continue
    const observed = (...args: unknown[]) => {
      act()
      return Reflect.apply(method, target, args)
    }
    Object.defineProperty(target, name, { value: observed })
  }
}

async function createSession(browser: Browser, baseUrl: string, { followsSystem }: PageOptions): Promise<Session> {
  const context: BrowserContext = await browser.newContext({
    baseURL: baseUrl,
    viewport: defaultSize,
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
  if (followsSystem) {
    const stored = JSON.stringify({ state: { choice: 'auto' }, version: 0 })
    // Skip frames, because sandboxed frames have no local storage.
    await context.addInitScript(`if (window === top) localStorage.setItem('color-scheme', '${stored}')`)
  }
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const session: Session = { baseUrl, page, errors: [], isAltered: followsSystem === true }
  page.on('pageerror', (error) => session.errors.push(error.message))
  const alter = () => {
    session.isAltered = true
  }
  observeCalls(page, alteringMethods.page, alter)
  observeCalls(context, alteringMethods.context, alter)
  return session
}

/**
 * Removes all cookies, all stored values of the site and all routes, and leaves the page of the test. The page then shows an image of
 * the site, so that the browser needs no new process for the next page of the site.
 */
async function resetSession({ baseUrl, page }: Session): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto(`${baseUrl}/favicon.webp`)
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await page.mouse.move(0, 0)
  await page.context().clearCookies()
}

/** Closes the session, or resets it for the next page. The first page of a new session needs twice as much CPU. */
async function releaseSession(browser: Browser, session: Session): Promise<void> {
  const { page, isAltered } = session
  const context = page.context()
  try {
    if (isAltered || context.pages().length !== 1) return await context.close()
    await resetSession(session)
    idleSessions.set(browser, [...(idleSessions.get(browser) ?? []), session])
  } catch {
    await context.close()
  }
}

/** Returns an idle session for this site, if there is one. */
function takeIdleSession(browser: Browser, baseUrl: string): Session | undefined {
  const idle = idleSessions.get(browser) ?? []
  const session = idle.find((each) => each.baseUrl === baseUrl)
  idleSessions.set(
    browser,
    idle.filter((each) => each !== session),
  )
  return session
}

/**
 * Opens a page in a browser session that no other test uses, and collects the errors of its scripts. The session is new, or it is the
 * session of a closed page without its data.
 */
export async function openPage(browser: Browser, baseUrl: string, options: PageOptions = {}) {
  const isNew = options.isNew || options.followsSystem
  const session = (!isNew && takeIdleSession(browser, baseUrl)) || (await createSession(browser, baseUrl, options))
  const { page } = session
  const errors: string[] = []
  session.errors = errors
  const size = {
    ...defaultSize,
    ...(options.width && { width: options.width }),
    ...(options.height && { height: options.height }),
  }
  const current = page.viewportSize()
  if (current?.width !== size.width || current.height !== size.height) await page.setViewportSize(size)
  if (options.actor) await page.context().addCookies(options.actor.browserCookies())
  return { page, errors, close: () => releaseSession(browser, session) }
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
