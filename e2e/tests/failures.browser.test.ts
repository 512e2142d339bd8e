import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser, findChromium } from '../support/browser.ts'
import { aCrew, type Crew, Organizer, timeHoursFromNow } from '../support/organizer.ts'
import { type Platform, startPlatform } from '../support/platform.ts'
import { poll } from '../support/poll.ts'
import { openPage } from '../support/story.ts'

const task = { title: 'Dead Reckoning', flag: 'flag{dead_reckoning}' }
/** Maximum time until a page shows a change that happened on the server. */
const noticed = { timeout: 120_000 }

describe.skipIf(!findChromium())('when things go wrong (needs Chromium)', () => {
  let browser: Browser
  let platform: Platform
  let organizer: Organizer
  let baseUrl: string
  beforeAll(async () => {
    platform = await startPlatform({ isEmpty: true })
    baseUrl = platform.world.baseUrl
    organizer = await Organizer.logIn(platform.world)
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.remove()
  })

  /** Opens the board for a team in a new running game. */
  const playing = async () => {
    const game = await organizer.openGame({}, [task])
    const crew = await aCrew(baseUrl)
    await crew.actor.join(game.id, crew.teamId)
    const opened = await openPage(browser, baseUrl, { actor: crew.actor })
    return { game, crew, ...opened, board: `/games/${game.id}/challenges` }
  }
  const openTask = async (page: Page) => {
    await page.getByRole('link', { name: task.title }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('No description.').waitFor()
    return dialog.getByRole('textbox', { name: 'Flag', exact: true })
  }
  const submit = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
  /** Ends the session of the page's user and runs `action`. The call in `action` then fails. */
  const endSession = async (page: Page, action: () => Promise<void>) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const profile = `**${operations.getOwnProfile.path}`
    await page.route(profile, (route) => promise.then(() => route.continue()))
    await page.context().clearCookies({ name: /^(?!XSRF)/ })
    await action()
    resolve()
  }
  const logInAgain = async (page: Page, { password }: Crew) => {
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await dialog.waitFor({ state: 'hidden' })
  }

  test('the open page and a submitted flag survive an outage of the platform', async () => {
    const { page, board, errors, close } = await playing()
    await page.goto(board)
    const field = await openTask(page)
    await page.getByText('Live', { exact: true }).waitFor()
    await platform.stop()
    await field.fill(task.flag)
    await submit(page)
    await page.getByText('The flag is stored in this browser until the server answers.').waitFor()
    expect(await field.inputValue()).toBe(task.flag)
    await page.getByRole('heading', { name: task.title }).waitFor()
    await platform.start()
    await page
      .getByRole('dialog')
      .getByText(/Correct|Solved, /)
      .first()
      .waitFor(noticed)
    await page.getByText('Live', { exact: true }).waitFor(noticed)
    expect(errors).toEqual([])
    await close()
  })

  test('a flag can be submitted while the details of a challenge are unavailable', async () => {
    const { page, game, board, close } = await playing()
    const details = new URL(`/api/game/${game.id}/challenges/*`, baseUrl).href
    await page.route(details, (route) =>
      route.request().method() === 'GET' ? route.abort('connectionrefused') : route.continue(),
    )
    await page.goto(board)
    await page.getByRole('link', { name: task.title }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/Network Error/).waitFor()
    await dialog.getByRole('textbox', { name: 'Flag', exact: true }).fill(task.flag)
    await submit(page)
    await dialog
      .getByText(/Correct|Solved, /)
      .first()
      .waitFor()
    await close()
  })

  test('a request that arrives during the start of the platform is answered as soon as the platform has started', async () => {
    await platform.stop()
    const started = platform.start()
    // Returns undefined until the port is open, because connections are refused before that.
    const ask = async () => {
      const response = await fetch(`${baseUrl}/api/config`, { signal: AbortSignal.timeout(noticed.timeout) }).catch(
        (error: Error) => {
          if ((error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED') return
          throw error
        },
      )
      return response?.status
    }
    expect(await poll('an answer', ask, { everyMs: 20, timeoutMs: noticed.timeout })).toBe(200)
    await started
  })

  test('the page reports a broken socket, and shows missed events after the socket reconnects', async () => {
    const { page, game, errors, close } = await playing()
    let isCut = false
    const sockets = new Set<() => Promise<void>>()
    await page.routeWebSocket(/\/hub\//, (socket) => {
      if (isCut) return void socket.close()
      socket.connectToServer()
      sockets.add(() => socket.close())
    })
    await page.goto(`/games/${game.id}/notice`)
    await page.getByText('Live', { exact: true }).waitFor()
    isCut = true
    await Promise.all([...sockets].map((cut) => cut()))
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    await organizer.addNotice(game.id, 'The lighthouse is lit')
    isCut = false
    await page.getByText('The lighthouse is lit').waitFor(noticed)
    await page.getByText('Live', { exact: true }).waitFor(noticed)
    expect(errors).toEqual([])
    await close()
  })

  test('a form submits its input after the session has ended and the user has logged in again', async () => {
    const { page, crew, close } = await playing()
    await page.goto('/account/profile')
    await page.getByLabel('Bio').fill('Half a sentence')
    await endSession(page, () => page.getByRole('button', { name: 'Save changes' }).click())
    await logInAgain(page, crew)
    expect(await page.getByLabel('Bio').inputValue()).toBe('Half a sentence')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Profile saved').first().waitFor()
    await close()
  })

  test('an entered flag survives the end of the session', async () => {
    const { page, crew, board, close } = await playing()
    await page.goto(board)
    const field = await openTask(page)
    await field.fill(task.flag)
    await endSession(page, () => submit(page))
    await logInAgain(page, crew)
    expect(await field.inputValue()).toBe(task.flag)
    await submit(page)
    await page
      .getByRole('dialog')
      .getByText(/Correct|Solved, /)
      .first()
      .waitFor()
    await close()
  })

  test('if a tab is closed after a flag was submitted offline, the next tabs send the flag only once', async () => {
    const { page, board, close } = await playing()
    await page.goto(board)
    const field = await openTask(page)
    await field.fill(task.flag)
    const context = page.context()
    await context.setOffline(true)
    await submit(page)
    await page.getByText('The flag is stored in this browser until the server answers.').waitFor()
    await page.close()
    await context.setOffline(false)
    const sent: string[] = []
    context.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/verdict')) sent.push(request.url())
    })
    const tabs = await Promise.all([context.newPage(), context.newPage()])
    await Promise.all(tabs.map((tab) => tab.goto(`${baseUrl}/teams`)))
    await Promise.race(tabs.map((tab) => tab.getByText(`${task.title}: correct`).first().waitFor(noticed)))
    const tab = tabs[0] as Page
    await expect
      .poll(() => tab.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('pending-flag:'))"))
      .toEqual([])
    await Promise.all(tabs.map((each) => each.reload()))
    await Promise.all(tabs.map((each) => each.getByRole('heading', { level: 1 }).first().waitFor()))
    expect(sent).toHaveLength(1)
    await close()
  })

  test('if a file of a page is missing during an outage, the page loads by itself after the outage', async () => {
    const { page, close } = await openPage(browser, baseUrl)
    let loads = 0
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads += 1
    })
    await page.goto('/')
    const probe = page.waitForRequest((request) => !request.isNavigationRequest() && new URL(request.url()).pathname === '/')
    const outage = /\/(static\/games-[^/]*\.js)?$/
    await page.route(outage, (route) => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Games', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Could not load this' }).waitFor()
    await probe
    expect(loads).toBe(1)
    await page.unroute(outage)
    await page.getByRole('heading', { name: 'Games', exact: true }).waitFor(noticed)
    expect(loads).toBe(2)
    await close()
  })

  test('a computer whose clock is two days ahead shows the game correctly', async () => {
    const { page, board, errors, close } = await playing()
    await page.addInitScript('const now = Date.now; Date.now = () => now() + 172_800_000')
    await page.goto(board)
    const field = await openTask(page)
    await expect.poll(() => page.getByRole('timer').first().textContent(), noticed).toMatch(/^23:5\d:\d\d$/)
    await field.fill(task.flag)
    await submit(page)
    await page
      .getByRole('dialog')
      .getByText(/Correct|Solved, /)
      .first()
      .waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('if a player taps a challenge while offline, the board does not change, and the challenge opens when the network returns', async () => {
    const { page, board, errors, close } = await playing()
    const dialogFile = '**/static/challenge-dialog-*.js'
    await page.route(dialogFile, (route) => route.abort('internetdisconnected'))
    await page.goto(board)
    await page.getByRole('link', { name: task.title }).click()
    await page.getByRole('dialog', { name: 'Could not load this' }).waitFor()
    expect(await page.locator('[data-challenge]').count()).toBe(1)
    await page.unroute(dialogFile)
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.getByRole('dialog', { name: task.title }).getByRole('textbox', { name: 'Flag', exact: true }).waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test('an open page reloads once after an upgrade of the platform and retains the entered flag', async () => {
    const { page, board, close } = await playing()
    let loads = 0
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads += 1
    })
    const typed = Promise.withResolvers<void>()
    // Simulate an upgrade: the index page names a new script, and an old script is missing until the page reloads.
    await page.route('**/static/challenge-dialog-*.js', (route) =>
      loads === 1 ? route.fulfill({ status: 404 }) : route.continue(),
    )
    await page.route(
      ({ pathname }) => pathname === '/',
      async (route) => {
        await typed.promise
        const response = await route.fetch()
        const body = (await response.text()).replace(/(<script type="module"[^>]*src=")[^"]+/, '$1/static/index-next.js')
        await route.fulfill({ response, body })
      },
    )
    await page.goto(board)
    await page.getByRole('link', { name: task.title }).click()
    await page.keyboard.type('flag{typed')
    typed.resolve()
    await expect.poll(() => loads).toBe(2)
    const field = page.getByRole('dialog', { name: task.title }).getByRole('textbox', { name: 'Flag', exact: true })
    await expect.poll(() => field.inputValue(), noticed).toBe('flag{typed')
    expect(loads).toBe(2)
    await close()
  })

  test('the page requests style sheets again if they fail to load', async () => {
    const { page, errors, close } = await openPage(browser, baseUrl)
    const asked = new Set<string>()
    await page.route('**/*.css', (route) => {
      const isFirst = !asked.has(route.request().url())
      asked.add(route.request().url())
      return isFirst ? route.abort('failed') : route.continue()
    })
    await page.goto('/games')
    await page.getByRole('heading', { name: 'Games', exact: true }).waitFor()
    const arrived = () =>
      page.evaluate<boolean>(
        "[...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet?.cssRules.length > 0)",
      )
    await expect.poll(arrived, noticed).toBe(true)
    expect(asked.size).toBeGreaterThan(1)
    expect(errors).toEqual([])
    await close()
  })

  test('the page shows a loading state on a slow network and then works', async () => {
    const { page, board, close } = await playing()
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    const kiloByte = 1024
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 200,
      downloadThroughput: 400 * kiloByte,
      uploadThroughput: 100 * kiloByte,
    })
    const seen = Promise.withResolvers<void>()
    await page.route('**/api/game/*/details', (route) => seen.promise.then(() => route.continue()))
    await page.goto(board, { waitUntil: 'commit' })
    await page.getByRole('status', { name: 'Loading' }).first().waitFor()
    seen.resolve()
    const field = await openTask(page)
    await field.fill(task.flag)
    await submit(page)
    await page
      .getByRole('dialog')
      .getByText(/Correct|Solved, /)
      .first()
      .waitFor()
    await close()
  })

  // Each of the next two tests waits for a poll of its page. To save time, these tests run concurrently in separate
  // games.
  test.concurrent('an open page shows that its game has ended', async () => {
    const { page, game, board, close } = await playing()
    await page.goto(board)
    const field = await openTask(page)
    await organizer.changeGame(game.id, { ...game.settings, end: timeHoursFromNow(-0.001) })
    await page.getByText('The game has ended, submissions will not be scored').first().waitFor(noticed)
    await field.fill(task.flag)
    await submit(page)
    await page
      .getByRole('dialog')
      .getByText(/Correct|Solved, /)
      .first()
      .waitFor()
    await close()
  })

  test.concurrent('a suspended team sees that it is banned, and that it can contact an admin', async () => {
    const { page, game, crew, board, close } = await playing()
    await page.goto(board)
    await page.getByRole('link', { name: task.title }).waitFor()
    await organizer.setStatus(game.id, crew.teamId, 'Suspended')
    await page.getByText('You have been banned').waitFor(noticed)
    await page.getByText(/Contact an admin/).waitFor()
    await close()
  })
})
