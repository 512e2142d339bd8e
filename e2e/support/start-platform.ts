import { operations } from '@capstan/contract/operations'
import type { TestProject } from 'vitest/node'
import { ApiActor } from './actors.ts'
import { findChromium, serveBrowser } from './browser.ts'
import { startPlatform } from './platform.ts'
import { readWorld, type World } from './world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The platform under test; undefined where there is no browser to test it with. */
    world: World | undefined
    /** Looked up before tests open games of their own: only the latest are listed. */
    demoGameId: number
    /** Where the browser of all files takes connections; undefined where there is none. */
    browser: string | undefined
  }
}

/**
 * Uses the platform of CAPSTAN_URL, or starts one of its own with the demo game on an empty data folder; and starts one browser
 * for all files.
 */
export default async (project: TestProject) => {
  const hasBrowser = findChromium() !== undefined
  const browser = hasBrowser ? await serveBrowser() : undefined
  project.provide('browser', browser?.wsEndpoint())
  const platform = hasBrowser && !process.env.CAPSTAN_URL ? await startPlatform() : undefined
  const world = process.env.CAPSTAN_URL ? readWorld() : platform?.world
  const games = world ? await new ApiActor(world.baseUrl).call(operations.listGames) : []
  project.provide('world', world)
  project.provide('demoGameId', games.find(({ title }) => title === 'Harbour Trials')?.id ?? 0)
  return async () => {
    await browser?.close()
    await platform?.remove()
  }
}
