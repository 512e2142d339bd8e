import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { connectBrowser } from './browser.ts'
import { Organizer } from './organizer.ts'
import { openPage } from './story.ts'

/** Running platform that the tests of a file share, with a logged-in organizer and a function that opens pages. */
export type Stage = Readonly<{
  baseUrl: string
  organizer: Organizer
  /** Opens a page of the platform, see `openPage`. */
  openPage: (options?: Parameters<typeof openPage>[2]) => ReturnType<typeof openPage>
}>

/**
 * Defines tests that use the platform as an organizer and as players. The tests are skipped without Chromium.
 * @param define function that defines the tests. The organizer is available only while the tests run.
 */
export function describeJourneys(title: string, define: (stage: Stage) => void): void {
  const world = inject('world')
  describe.skipIf(!world)(`${title} (needs Chromium)`, () => {
    const baseUrl = world?.baseUrl ?? ''
    let organizer: Organizer
    let browser: Browser
    beforeAll(async () => {
      organizer = await Organizer.logIn(world as NonNullable<typeof world>)
      browser = await connectBrowser(inject('browser'))
    })
    afterAll(() => browser?.close())
    define({
      baseUrl,
      get organizer() {
        return organizer
      },
      openPage: (options) => openPage(browser, baseUrl, options),
    })
  })
}
