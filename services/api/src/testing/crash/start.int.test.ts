import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCrashingPlatform } from './platform.ts'
import { createCrashWorld } from './world.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let platform: ReturnType<typeof createCrashingPlatform>
const ready = Promise.withResolvers<void>()
beforeAll(async () => {
  database = await createTestDatabase()
  platform = createCrashingPlatform(database.url, () => ready.promise)
})
afterAll(async () => {
  await platform.kill()
  await database.drop()
})

test('a start that is retried after kill -9 joins the first start, even if the instance is already ready', async () => {
  const { game, startable, players } = await createCrashWorld(database.db)
  await platform.start()
  // One team starts instances of two challenges. The first instance becomes ready while no api runs, and the second instance
  // during the retry.
  const [{ cookie }, { cookie: mate }] = players as [(typeof players)[0], (typeof players)[0]]
  const start = (challengeId: number, by: string) => platform.call(`/api/game/${game.id}/container/${challengeId}`, by, {})
  const [first, second] = startable as [number, number]
  const broken = Promise.allSettled([start(first, cookie), start(second, cookie)])
  await expect.poll(() => platform.listInstanceIds()).toHaveLength(2)
  await platform.kill()
  expect((await broken).map(({ status }) => status)).toEqual(['rejected', 'rejected'])

  await platform.start()
  const retry = start(second, mate)
  ready.resolve()
  const idOf = async (challengeId: number) =>
    (await database.sql`select id from instances where challenge_id = ${challengeId}`).map(({ id }) => id)
  const isReady = async () =>
    (await database.sql`select status from instances where challenge_id = ${first}`)[0]?.status as string
  // The new process finds the ready instance, although it missed the notification.
  await expect.poll(isReady).toBe('Running')
  for (const [challengeId, answer] of [
    [second, await retry],
    [first, await start(first, cookie)],
  ] as const) {
    expect(answer.status).toBe(200)
    const { status, entry } = JSON.parse(answer.text)
    expect([status, [entry]]).toEqual(['Running', await idOf(challengeId)])
  }
  const again = await start(first, mate)
  expect([again.status, JSON.parse(again.text).code]).toEqual([400, 'instance.running'])
  const events = await database.sql`select count(*)::int from events where game_id = ${game.id} and type = 'ContainerStart'`
  expect(events[0]?.count).toBe(2)
})
