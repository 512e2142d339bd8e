import { setImmediate as immediate } from 'node:timers/promises'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChangeFeed, createChangeFeed } from './feed.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** A feed that has caught up, and what it is told from then on. */
async function openFeed() {
  const told: (readonly string[] | 'everything')[] = []
  const feed = createChangeFeed(database)
  await feed.catchUp()
  feed.listen((keys) => told.push(keys ? keys.toSorted() : 'everything'))
  return { feed, told }
}
function write(key: string) {
  return database.sql`insert into changes (key) values (${key})`
}
async function toldNow({ feed, told }: { feed: ChangeFeed; told: unknown[] }) {
  await feed.catchUp()
  return told.splice(0)
}

test('a change is told once, to every feed', async () => {
  const feeds = [await openFeed(), await openFeed()]
  await write('team 1')
  await write('team 2')
  await write('team 1')
  for (const feed of feeds) {
    expect(await toldNow(feed)).toEqual([['team 1', 'team 2']])
    expect(await toldNow(feed)).toEqual([])
  }
})

test('a change is told whatever the order of commits', async () => {
  const open = await openFeed()
  const slow = await database.sql.reserve()
  await slow`begin`
  await slow`insert into changes (key) values ('slow')`
  await write('quick')
  expect(await toldNow(open)).toEqual([['quick']])
  await slow`commit`
  slow.release()
  expect(await toldNow(open)).toEqual([['slow']])
})

test('one key that changes very often hides no other', async () => {
  const open = await openFeed()
  await database.sql`insert into changes (key) select 'often' from generate_series(1, 6000)`
  await write('once')
  expect(await toldNow(open)).toEqual([['often', 'once']])
})

test('more keys than can be named are everything', async () => {
  const open = await openFeed()
  await database.sql`insert into changes (key) select 'user ' || number from generate_series(1, 5001) as number`
  expect(await toldNow(open)).toEqual(['everything'])
  await write('team 1')
  expect(await toldNow(open)).toEqual([['team 1']])
})

test('what is rolled back is not told', async () => {
  const open = await openFeed()
  await database.sql
    .begin(async (sql) => {
      await sql`insert into changes (key) values ('never')`
      throw new Error('No')
    })
    .catch(() => undefined)
  expect(await toldNow(open)).toEqual([])
})

test('calls of one moment share a statement, and each knows what was committed before it', async () => {
  const counter = { statements: 0 }
  const counted = await createTestDatabase({ counter })
  const feed = createChangeFeed(counted)
  await feed.catchUp()
  counter.statements = 0
  await Promise.all(Array.from({ length: 50 }, () => feed.catchUp()))
  expect(counter.statements).toBe(1)
  await counted.drop()
})

test('a call that comes while a statement is under way waits for the next', async () => {
  const { feed, told } = await openFeed()
  const first = feed.catchUp()
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  await write('late')
  await Promise.all([first, feed.catchUp()])
  expect(told).toEqual([['late']])
})

test('what was restored from a backup of a later database is not told', async () => {
  const open = await openFeed()
  await database.sql`insert into changes (transaction, key) values ('999999999999', 'of another database')`
  expect(await toldNow(open)).toEqual([])
})

test('when the database cannot be asked, everything may have changed', async () => {
  const broken = await createTestDatabase({ patience: { waitMs: 100 } })
  const feed = createChangeFeed(broken)
  await feed.catchUp()
  const told: unknown[] = []
  feed.listen((keys) => told.push(keys))
  await broken.close()
  await expect(feed.catchUp()).rejects.toThrow()
  expect(told).toEqual([undefined])
  await broken.drop()
})

test('old changes are deleted', async () => {
  const { feed } = await openFeed()
  await write('old')
  await feed.prune(new Date(Date.now() + 2 * 3_600_000))
  expect(await database.sql`select key from changes`).toEqual([])
})

test('each column of a challenge is announced when it changes, but the number of its solves', async () => {
  const columns = await database.sql`
    select column_name from information_schema.columns where table_name = 'challenges' and column_name not in ('id', 'accepted_count')
    except
    select event_object_column from information_schema.triggered_update_columns where event_object_table = 'challenges'`
  expect(columns).toEqual([])
})

test('after a statement that many have shared, those who come in the pause share the next; a lone call waits for no pause', async () => {
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
  const told: unknown[] = []
  feed.listen((keys) => told.push(keys))
  over.resolve()
  await second
  expect(told).toEqual([['during the pause']])
  await feed.catchUp()
  const alone = feed.catchUp()
  await immediate()
  expect(feed.catchUp()).not.toBe(alone)
  await alone
})
