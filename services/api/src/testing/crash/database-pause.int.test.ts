import { chmod, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase } from '@capstan/db/client'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@capstan/db/embedded'
import { migrateDatabase } from '@capstan/db/migrate'
import { createFastFolder } from '@capstan/db/testing/fast-folder'
import { findFreePort } from '@capstan/db/testing/find-free-port'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCrowd } from './crowd.ts'
import { createCrashingPlatform } from './platform.ts'
import { expectAllStoredOnce } from './verify.ts'
import { createCrashWorld } from './world.ts'

/** Duration of the database outage, in ms. */
const pauseMs = Number(process.env.CAPSTAN_TEST_DATABASE_PAUSE_MS ?? 3_000)
const pauses = 2

const endings: (() => Promise<unknown>)[] = []
const folder = { path: '' }
let server: EmbeddedPostgres
async function startServer(port: number): Promise<void> {
  server = await startEmbeddedPostgres({ folder: path.join(folder.path, 'pg'), port, settings: { fsync: 'off' } })
}
beforeAll(async () => {
  folder.path = await createFastFolder('capstan-pause-')
  // The database server may run as another user, who must be able to open the folder.
  await chmod(folder.path, 0o755)
  endings.push(() => rm(folder.path, { recursive: true, force: true }))
  await startServer(await findFreePort())
  endings.push(() => server.stop())
  await migrateDatabase(server.url)
})
afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

test(
  'answers reads and submissions again after a database outage, and stores each submission once',
  async () => {
    const connection = createDatabase(server.url)
    endings.push(connection.close)
    const world = await createCrashWorld(connection.db)
    const platform = createCrashingPlatform(server.url)
    endings.push(platform.kill)
    await platform.start()
    const scoreboard = `/api/game/${world.game.id}/scoreboard`
    const crowd = createCrowd(platform, world.players, { reads: 0.5, startsMayWait: true })
    await crowd.waitForCalls(200)
    for (let pause = 0; pause < pauses; pause++) {
      await server.kill()
      const isBack = delay(pauseMs)
      // During the outage the readiness probe fails, the liveness probe succeeds, and calls that need no database are answered.
      await expect.poll(async () => (await platform.call('/readyz', '')).status).toBe(503)
      expect((await platform.call('/livez', '')).status).toBe(200)
      expect((await platform.call(scoreboard, '')).status).toBe(200)
      await isBack
      await startServer(Number(new URL(server.url).port))
      await crowd.waitForCalls(300)
    }
    await expect.poll(async () => (await platform.call('/readyz', '')).status).toBe(200)
    await crowd.stop()
    const { acknowledged } = crowd
    expect(acknowledged.oddities).toEqual([])
    expect(acknowledged.reads).toBeGreaterThan(100)
    expect(acknowledged.submissions.length).toBeGreaterThan(100)
    const sql = postgres(server.url, { max: 1, onnotice: () => {} })
    await expectAllStoredOnce(sql, world, acknowledged)
    await sql.end()
  },
  600_000 + 2 * pauses * pauseMs,
)
