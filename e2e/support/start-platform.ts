import { operations } from '@capstan/contract/operations'
import type { TestProject } from 'vitest/node'
import { ApiActor } from './actors.ts'
import { findChromium } from './browser.ts'
import { startPlatform } from './platform.ts'
import { readWorld, type World } from './world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The platform under test; undefined where there is no browser to test it with. */
    world: World | undefined
    /** Looked up before tests open games of their own: only the latest are listed. */
    demoGameId: number
  }
}

/** Uses the platform of CAPSTAN_URL, or starts one of its own with the demo game on an empty data folder. */
export default async (project: TestProject) => {
  const provide = async (world: World) => {
    project.provide('world', world)
    const games = await new ApiActor(world.baseUrl).call(operations.listGames)
    project.provide('demoGameId', games.find(({ title }) => title === 'Harbour Trials')?.id ?? 0)
  }
  if (process.env.CAPSTAN_URL) {
    await provide(readWorld())
    return undefined
  }
  if (!findChromium()) {
    project.provide('world', undefined)
    project.provide('demoGameId', 0)
    return undefined
  }
  const platform = await startPlatform()
  await provide(platform.world)
  return platform.remove
}
