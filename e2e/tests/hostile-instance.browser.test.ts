import { operations } from '@capstan/contract/operations'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectBrowser } from '../support/browser.ts'
import { createPlayerInGame } from '../support/player.ts'
import { openPage } from '../support/story.ts'

const world = inject('world')
const label = 'hostilehostilehostil'
const evil = 'evil'

describe.skipIf(!world)('the page of a hostile instance (needs Chromium)', () => {
  /** Address of the site. The host names of instances end with the host name in this address. */
  const baseUrl = (world?.baseUrl ?? '').replace('127.0.0.1', 'localhost')
  const site = new URL(baseUrl || 'http://localhost')
  /** Address of an instance. It has the same format as with `npm start`. */
  const origin = `http://${label}.localhost:${site.port}`
  let browser: Browser
  beforeAll(async () => {
    browser = await connectBrowser(inject('browser'))
  })
  afterAll(() => browser?.close())

  /** Opens the hostile page as a logged-in player. */
  const lure = async () => {
    const { actor } = await createPlayerInGame(baseUrl, inject('demoGameId'))
    const { page, close } = await openPage(browser, baseUrl, { actor })
    const context = page.context()
    await context.route(`${origin}/**`, (route) =>
      route.fulfill({
        status: 200,
        contentType: route.request().url().endsWith('.js') ? 'text/javascript' : 'text/html',
        headers: { 'set-cookie': `capstan_session=${evil}; Domain=localhost; Path=/`, 'service-worker-allowed': '/' },
        body: route.request().url().endsWith('.js')
          ? 'addEventListener("fetch", () => {})'
          : '<!doctype html><title>Shop</title>',
      }),
    )
    const own = await context.cookies(baseUrl)
    const hostile = await context.newPage()
    await hostile.goto(`${origin}/`)
    return { actor, context, own, hostile, close }
  }
  /** Returns the result of an attempt by the hostile page: the name of an error, or the value. */
  const attempt = (page: Page, work: (target: string) => unknown): Promise<unknown> =>
    page.evaluate(
      async ([code, target]) => {
        try {
          // biome-ignore lint/security/noGlobalEval: what the page of an attacker does
          return await eval(`(${code})`)(target)
        } catch (error) {
          return (error as Error).name
        }
      },
      [String(work), baseUrl] as const,
    )

  test('a hostile instance cannot set cookies of the platform, read or embed its pages, or make calls for the user', async () => {
    const { actor, context, own, hostile, close } = await lure()
    expect(own.find(({ name }) => name.endsWith('capstan_session'))?.value).not.toBe(evil)

    await attempt(hostile, () => {
      for (const domain of ['localhost', '.localhost']) {
        // biome-ignore lint/suspicious/noDocumentCookie: what the page of an attacker does
        document.cookie = `capstan_session=evil; domain=${domain}; path=/`
      }
    })
    expect(await context.cookies(baseUrl)).toEqual(own)

    expect(await attempt(hostile, (target) => fetch(`${target}/api/account/profile`, { credentials: 'include' }))).toBe(
      'TypeError',
    )
    const blind = (target: string) =>
      fetch(`${target}/api/account/logout`, { method: 'POST', mode: 'no-cors', credentials: 'include' }).then(({ type }) => type)
    expect(await attempt(hostile, blind)).toMatch(/opaque|TypeError/)
    expect((await actor.call(operations.getOwnProfile)).userName).toBeTruthy()

    const framed = await attempt(hostile, async (target) => {
      const frame = document.createElement('iframe')
      frame.src = target
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
      document.body.append(frame)
      await loaded
      return frame.contentWindow?.location.href
    })
    expect(framed).toBe('SecurityError')
    const [frame] = hostile.frames().filter((found) => found !== hostile.mainFrame())
    expect(frame?.url()).toMatch(/^chrome-error:/)

    const scripted = await attempt(
      hostile,
      (target) =>
        new Promise((resolve) => {
          const script = document.createElement('script')
          script.src = `${target}/api/account/profile`
          script.addEventListener('load', () => resolve('ran'))
          script.addEventListener('error', () => resolve('refused'))
          document.body.append(script)
        }),
    )
    expect(scripted).toBe('refused')
    await close()
  })

  test('a hostile instance controls no window, worker or live connection of the platform', async () => {
    const { context, hostile, close } = await lure()
    expect(await attempt(hostile, (target) => navigator.serviceWorker.register(`${target}/sw.js`))).toBe('SecurityError')
    const foreignScope = (target: string) => navigator.serviceWorker.register('/sw.js', { scope: `${target}/` })
    expect(await attempt(hostile, foreignScope)).toBe('SecurityError')

    const opening = context.waitForEvent('page')
    const touched = attempt(hostile, async (target) => {
      const opened = window.open(target)
      await new Promise((resolve) => setTimeout(resolve))
      // At first, the new window is empty and has the opener's origin. Then it has the platform's origin.
      for (;;) {
        if (opened === null || opened.closed) return 'cut off'
        opened.postMessage({ type: 'logout' }, '*')
        try {
          void opened.document.cookie
          if (opened.location.href !== 'about:blank') return 'reached'
        } catch (error) {
          return (error as Error).name
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })
    const opened = await opening
    await opened.waitForLoadState()
    expect(['SecurityError', 'cut off']).toContain(await touched)
    expect(await opened.evaluate(() => window.opener?.location.href ?? 'none').catch((error: Error) => error.message)).toMatch(
      /none|cross-origin|SecurityError/,
    )

    const socket = await attempt(
      hostile,
      (target) =>
        new Promise((resolve) => {
          const socket = new WebSocket(`${target.replace(/^http/, 'ws')}/hub/user?game=1`)
          socket.addEventListener('open', () => resolve('open'))
          socket.addEventListener('error', () => resolve('refused'))
        }),
    )
    expect(socket).toBe('refused')
    await close()
  })
})
