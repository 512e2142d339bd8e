import { setImmediate as immediate } from 'node:timers/promises'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChangeFeed, createChangeFeed } from './feed.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Opens a feed, lets the feed catch up, and records all later notifications. */
async function openFeed() {
  const notified: (readonly string[] | 'everything')[] = []
  const feed = createChangeFeed(database)
  await feed.catchUp()
  feed.listen((keys) => notified.push(keys ? keys.toSorted() : 'everything'))
  return { feed, notified }
}
function write(key: string) {
  return database.sql`insert into changes (key) values (${key})`
}
async function catchUp({ feed, notified }: { feed: ChangeFeed; notified: unknown[] }) {
  await feed.catchUp()
  return notified.splice(0)
}

test('every feed reports each changed key once', async () => {
  const feeds = [await openFeed(), await openFeed()]
  await write('team 1')
  await write('team 2')
  await write('team 1')
  for (const feed of feeds) {
    expect(await catchUp(feed)).toEqual([['team 1', 'team 2']])
    expect(await catchUp(feed)).toEqual([])
  }
})

test('no change is missed if transactions commit in another order than they started', async () => {
  const open = await openFeed()
  const slow = await database.sql.reserve()
  await slow`begin`
  await slow`insert into changes (key) values ('slow')`
  await write('quick')
  expect(await catchUp(open)).toEqual([['quick']])
  await slow`commit`
  slow.release()
  expect(await catchUp(open)).toEqual([['slow']])
})

test('all keys are reported, even if one key changes thousands of times', async () => {
  const open = await openFeed()
  await database.sql`insert into changes (key) select 'often' from generate_series(1, 6000)`
  await write('once')
  expect(await catchUp(open)).toEqual([['often', 'once']])
})

test('if too many keys changed, the feed reports that everything changed', async () => {
  const open = await openFeed()
  await database.sql`insert into changes (key) select 'user ' || number from generate_series(1, 5001) as number`
  expect(await catchUp(open)).toEqual(['everything'])
  await write('team 1')
  expect(await catchUp(open)).toEqual([['team 1']])
})

test('a change that is rolled back is not reported', async () => {
  const open = await openFeed()
  await database.sql
    .begin(async (sql) => {
      await sql`insert into changes (key) values ('never')`
      throw new Error('No')
    })
    .catch(() => undefined)
  expect(await catchUp(open)).toEqual([])
})

test('concurrent calls of catchUp share one SQL statement', async () => {
  const counter = { statements: 0 }
  const counted = await createTestDatabase({ counter })
  const feed = createChangeFeed(counted)
  await feed.catchUp()
  counter.statements = 0
  await Promise.all(Array.from({ length: 50 }, () => feed.catchUp()))
  expect(counter.statements).toBe(1)
  await counted.drop()
})

test('catchUp waits for a new SQL statement if the running statement began before the call', async () => {
  const { feed, notified } = await openFeed()
  const first = feed.catchUp()
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  await write('late')
  await Promise.all([first, feed.catchUp()])
  expect(notified).toEqual([['late']])
})

test('ignores changes with a future transaction number, which a restore from another server can cause', async () => {
  const open = await openFeed()
  await database.sql`insert into changes (transaction, key) values ('999999999999', 'of another database')`
  expect(await catchUp(open)).toEqual([])
})

test('if the database is unreachable, the feed reports that everything changed', async () => {
  const broken = await createTestDatabase({ patience: { waitMs: 100 } })
  const feed = createChangeFeed(broken)
  await feed.catchUp()
  const notified: unknown[] = []
  feed.listen((keys) => notified.push(keys))
  await broken.close()
  await expect(feed.catchUp()).rejects.toThrow()
  expect(notified).toEqual([undefined])
  await broken.drop()
})

test('old changes are deleted', async () => {
  const { feed } = await openFeed()
  await write('old')
  await feed.prune(new Date(Date.now() + 2 * 3_600_000))
  expect(await database.sql`select key from changes`).toEqual([])
})

test('a change of any column of a challenge is reported, with the exception of the number of solves', async () => {
  const [trigger] = await database.sql`
    select pg_get_triggerdef(oid) as definition from pg_trigger
    where tgname = 'announce_update' and tgrelid = 'challenges'::regclass`
  expect(trigger?.definition).toContain(
    "AFTER UPDATE ON public.challenges FOR EACH ROW WHEN (((to_jsonb(old.*) - 'accepted_count'::text) IS DISTINCT FROM (to_jsonb(new.*) - 'accepted_count'::text)))",
  )
})

test('all calls of catchUp that arrive during a pause share the next SQL statement', async () => {
  const begun = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const pause = () => {
    begun.resolve()
    return over.promise
  }
  const feed = createChangeFeed({ ...database, pause })
  await Promise.all([feed.catchUp(), feed.catchUp()])
  const first = feed.catchUp()
  await begun.promise
  const second = feed.catchUp()
  expect(second).toBe(first)
  await write('during the pause')
  const notified: unknown[] = []
  feed.listen((keys) => notified.push(keys))
  over.resolve()
  await second
  expect(notified).toEqual([['during the pause']])
  await feed.catchUp()
  const alone = feed.catchUp()
  await immediate()
  expect(feed.catchUp()).not.toBe(alone)
  await alone
})
