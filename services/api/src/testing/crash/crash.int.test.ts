import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildNaiveScoreboard } from '../../rules/scoring/testing/naive-scoreboard.ts'
import { isFullRun } from '../full-run.ts'
import { loadBoardFactsFromRows } from '../stored-facts.ts'
import { createCrowd } from './crowd.ts'
import { createCrashingPlatform } from './platform.ts'
import { expectAllStoredOnce } from './verify.ts'
import { createCrashWorld } from './world.ts'

const kills = isFullRun ? 4 : 2

let database: Awaited<ReturnType<typeof createTestDatabase>>
let platform: ReturnType<typeof createCrashingPlatform>
beforeAll(async () => {
  database = await createTestDatabase()
  platform = createCrashingPlatform(database.url)
})
afterAll(async () => {
  await platform.kill()
  await database.drop()
})

async function listLiveIds() {
  return (await database.sql`select id from instances where ended_at is null order by id::text`).map(({ id }) => id as string)
}

test('stores each acknowledged submission once and leaves consistent rows after kill -9 at any moment', async () => {
  const world = await createCrashWorld(database.db)
  await platform.start()
  const crowd = createCrowd(platform, world.players)
  for (let kill = 0; kill < kills; kill++) {
    await crowd.waitForCalls(40 + Math.floor(Math.random() * 160))
    await platform.kill()
    await platform.start()
  }
  await crowd.waitForCalls(100)
  await crowd.stop()
  const { acknowledged } = crowd
  expect(acknowledged.oddities).toEqual([])
  expect(acknowledged.submissions.length).toBeGreaterThan(kills * 20)
  expect(acknowledged.instanceIds.length).toBeGreaterThan(world.teams)

  const firsts = await expectAllStoredOnce(database.sql, world, acknowledged)
  const gameId = world.game.id

  // The served board must equal the board that follows from the submissions.
  const facts = (await database.db.reader.snapshot((at) => loadBoardFactsFromRows(at, gameId)))!
  const recomputed = buildNaiveScoreboard({
    ...facts,
    updatedAt: new Date(),
    solves: firsts.map((first) => ({
      submissionId: first.id,
      participationId: first.participation_id,
      challengeId: first.challenge_id,
      userName: first.user_name,
      submittedAt: new Date(first.submitted_at),
    })),
  })
  const { updateTimeUtc: _, ...board } = recomputed
  await expect
    .poll(async () => JSON.parse((await platform.call(`/api/game/${gameId}/scoreboard`, '')).text), { timeout: 60_000 })
    .toMatchObject(board)

  await expect
    .poll(async () => ({ rows: await listLiveIds(), running: platform.listInstanceIds() }), { timeout: 120_000, interval: 250 })
    .toSatisfy(({ rows, running }) => rows.length > 0 && rows.join() === running.join())
  const known = new Set((await database.sql`select id from instances`).map(({ id }) => id as string))
  expect(acknowledged.instanceIds.filter((id) => !known.has(id))).toEqual([])
  const crowded =
    await database.sql`select participation_id from instances where ended_at is null group by 1 having count(*) > ${world.containersPerTeam}`
  expect(crowded).toHaveLength(0)
})
