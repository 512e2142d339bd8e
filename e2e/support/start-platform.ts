import { operations } from '@capstan/contract/operations'
import type { TestProject } from 'vitest/node'
import { ApiActor } from './actors.ts'
import { findChromium, startSharedBrowser } from './browser.ts'
import { startPlatform } from './platform.ts'
import { readWorldFromEnvironment, type World } from './world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Platform under test. Undefined if there is no browser. */
    world: World | undefined
    /**
     * Id of the demo game. The id is determined before the tests, because the platform lists only the latest games and tests
     * create many games.
     */
    demoGameId: number
    /** Address of the shared browser. Undefined if there is no browser. */
    browser: string | undefined
  }
}

/**
 * Uses the platform at CAPSTAN_URL. Without CAPSTAN_URL, starts a platform with the demo game and an empty data folder. Also starts
 * one browser for all test files.
 */
export default async (project: TestProject) => {
  const hasBrowser = findChromium() !== undefined
  const browser = hasBrowser ? await startSharedBrowser() : undefined
  project.provide('browser', browser?.wsEndpoint())
  const platform = hasBrowser && !process.env.CAPSTAN_URL ? await startPlatform() : undefined
  const world = process.env.CAPSTAN_URL ? readWorldFromEnvironment() : platform?.world
  const games = world ? await new ApiActor(world.baseUrl).call(operations.listGames) : []
  project.provide('world', world)
  project.provide('demoGameId', games.find(({ title }) => title === 'Harbour Trials')?.id ?? 0)
  return async () => {
    await browser?.close()
    await platform?.remove()
  }
}
