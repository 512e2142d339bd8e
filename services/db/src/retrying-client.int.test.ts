import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eq, sql } from 'drizzle-orm'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDatabase, type DatabaseOptions } from './client.ts'
import { DatabaseUnavailable } from './database-error.ts'
import { retryUntilOutcomeKnown } from './retry-until-known.ts'
import { createTestDatabase } from './testing/test-database.ts'
import { createUnsteadyDatabaseLink } from './testing/unsteady-link.ts'

const marks = pgTable('marks', { mark: integer('mark').notNull() })

let own: Awaited<ReturnType<typeof createTestDatabase>>
let link: Awaited<ReturnType<typeof createUnsteadyDatabaseLink>>
const opened: { close(): Promise<void> }[] = []
beforeAll(async () => {
  own = await createTestDatabase()
  await own.sql`create table marks (mark integer not null)`
})
beforeEach(async () => {
  await own.sql`truncate marks`
  link = await createUnsteadyDatabaseLink(own.url)
})
afterEach(async () => {
  await link.mend()
  await Promise.all(opened.splice(0).map(({ close }) => close()))
  await link.close()
})
afterAll(() => own.drop())

/** Opens a database through the link that the tests interrupt. Opens all connections of the pool. */
async function openDatabase(options: DatabaseOptions = {}) {
  const connection = createDatabase(link.url, { maxConnections: 4, ...options })
  opened.push(connection)
  await Promise.all(Array.from({ length: 8 }, () => connection.db.execute(sql`select pg_sleep(0.02)`)))
  return connection.db
}
function aLog() {
  const lines: string[] = []
  const note = (_: object, text: string) => void lines.push(text)
  return { lines, log: { warn: note, info: note } }
}
async function stored(): Promise<number[]> {
  return (await own.sql`select mark from marks order by mark`).map(({ mark }) => mark as number)
}
function read(db: Awaited<ReturnType<typeof openDatabase>>, number: number) {
  return db.execute<{ number: number }>(sql`select ${number}::integer as number`).then(([row]) => row?.number)
}
function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}

test('reads and transactions wait during an outage, and then run once', async () => {
  const db = await openDatabase()
  const underWay = db.execute<{ done: boolean }>(sql`select pg_sleep(0.3)::text = '' as done`)
  await link.cut()
  const reads = Promise.all(numbers(50).map((number) => read(db, number)))
  const writes = Promise.all(
    numbers(20).map((mark) => db.transaction((transaction) => transaction.insert(marks).values({ mark }))),
  )
  await expect(db.ping()).rejects.toThrow(DatabaseUnavailable)
  await link.mend()
  expect(await reads).toEqual(numbers(50))
  await writes
  expect(await underWay).toEqual([{ done: true }])
  expect(await stored()).toEqual(numbers(20))
  // Check that every connection of the pool works again.
  expect(await Promise.all(numbers(50).map((number) => read(db, number)))).toEqual(numbers(50))
})

test('a transaction is retried from its start if its connection breaks before the commit', async () => {
  const db = await openDatabase()
  let attempts = 0
  const result = await db.transaction(async (transaction) => {
    attempts += 1
    await transaction.insert(marks).values({ mark: 1 })
    if (attempts === 1) {
      await link.cut()
      setTimeout(() => void link.mend(), 50)
    }
    await transaction.insert(marks).values({ mark: 2 })
    return attempts
  })
  expect(result).toBe(2)
  expect(await stored()).toEqual([1, 2])
})

test('a transaction that loses its connection between two statements is retried, and the lost attempt sends no more statements', async () => {
  const db = await openDatabase()
  const elsewhere = Promise.withResolvers<void>()
  let attempts = 0
  const done = db.transaction(async (transaction) => {
    attempts += 1
    await transaction.insert(marks).values({ mark: attempts })
    if (attempts === 1) await elsewhere.promise
    await transaction.insert(marks).values({ mark: 10 })
  })
  await expect.poll(() => attempts).toBe(1)
  await link.cut()
  await link.mend()
  // Let other calls use the connections of the pool before the transaction continues.
  expect(await Promise.all(numbers(20).map((number) => read(db, number)))).toEqual(numbers(20))
  elsewhere.resolve()
  await done
  expect(await stored()).toEqual([2, 10])
})

test('a transaction that PostgreSQL aborts because of a deadlock is retried', async () => {
  const db = await openDatabase()
  await own.sql`insert into marks values (1), (2)`
  const holding = new Set<number>()
  const bothHold = Promise.withResolvers<void>()
  const isOneDone = Promise.withResolvers<void>()
  let attempts = 0
  const lockBoth = (first: number, second: number) =>
    db.transaction(async (transaction) => {
      attempts += 1
      // Wait until the other transaction has ended. Otherwise the retried transaction could cause another deadlock.
      if (attempts > 2) await isOneDone.promise
      const lock = (mark: number) => transaction.select().from(marks).where(eq(marks.mark, mark)).for('update')
      await lock(first)
      if (holding.add(first).size === 2) bothHold.resolve()
      await bothHold.promise
      await lock(second)
      await transaction.insert(marks).values({ mark: 10 * first })
    })
  const both = [lockBoth(1, 2), lockBoth(2, 1)]
  await Promise.race(both)
  isOneDone.resolve()
  await Promise.all(both)
  expect([attempts, await stored()]).toEqual([3, [1, 2, 10, 20]])
})

test('a statement that PostgreSQL aborts because of a deadlock is retried', async () => {
  const db = await openDatabase()
  // Raise the error with a statement, because the outcome of a real deadlock would depend on timing. Count the attempts with a
  // sequence, because an aborted statement does not reset a sequence.
  await own.sql`create sequence attempts`
  await db.execute(sql`do $$ begin
    if nextval('attempts') = 1 then raise exception using errcode = '40P01'; end if;
    insert into marks values (1);
  end $$`)
  expect(await own.sql`select last_value::integer as attempts from attempts`).toMatchObject([{ attempts: 2 }])
  expect(await stored()).toEqual([1])
})

test('a transaction fails if PostgreSQL aborts four attempts', async () => {
  const db = await openDatabase()
  let attempts = 0
  const work = db.transaction(async (transaction) => {
    attempts += 1
    await transaction.execute(sql`do $$ begin raise exception using errcode = '40P01'; end $$`)
  })
  await expect(work).rejects.toMatchObject({ name: 'DatabaseError', code: '40P01' })
  expect(attempts).toBe(4)
})

test('the result of a transaction is released from memory after the transaction', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const db = await openDatabase()
  const give = async (): Promise<WeakRef<object>> => {
    const given = await db.transaction(async (transaction) => [...(await transaction.execute(sql`select 1 as number`))])
    expect(given).toEqual([{ number: 1 }])
    return new WeakRef(given)
  }
  const given = await give()
  const isFreed = () => {
    collectGarbage()
    return given.deref() === undefined
  }
  await expect.poll(isFreed, { message: 'the result to be freed' }).toBe(true)
})

test('a transaction rejects with the error that its work throws, and is not retried', async () => {
  const db = await openDatabase()
  const refusal = Object.assign(new Error('Another service is unreachable'), { code: 'ECONNREFUSED' })
  let attempts = 0
  const work = db.transaction(async (transaction) => {
    attempts += 1
    await transaction.insert(marks).values({ mark: 1 })
    throw refusal
  })
  await expect(work).rejects.toBe(refusal)
  expect([attempts, await stored()]).toEqual([1, []])
})

test('a write whose response is lost rejects with an unknown outcome, and is not retried', async () => {
  const db = await openDatabase()
  void link.loseAnswers()
  const lost = await db.execute(sql`insert into marks values (1)`).catch((error: unknown) => error)
  expect(lost).toBeInstanceOf(DatabaseUnavailable)
  expect(lost).toMatchObject({ isOutcomeUnknown: true })
  await link.mend()
  expect(await read(db, 7)).toBe(7)
  await expect.poll(stored).toEqual([1])
})

test('after the response to a commit is lost, the commit is recognized by its effect, and its work is not repeated', async () => {
  const db = await openDatabase()
  let attempts = 0
  const work = () =>
    db.transaction(async (transaction) => {
      attempts += 1
      await transaction.insert(marks).values({ mark: 1 })
      if (attempts === 1) void link.loseAnswers().then(() => link.mend())
      return 'done by the work'
    })
  const find = async () => ((await db.select().from(marks)).length > 0 ? 'found' : undefined)
  expect(await retryUntilOutcomeKnown(work, { find })).toBe('found')
  expect([attempts, await stored()]).toEqual([1, [1]])
})

test('calls reject at once in a long outage, and succeed afterwards', async () => {
  const { log, lines } = aLog()
  const db = await openDatabase({ patience: { waitMs: 300 }, log })
  await link.cut()
  await expect(read(db, 1)).rejects.toThrow(DatabaseUnavailable)
  // A timer may fire a moment early, so the first call may have rejected before the maximum wait was over.
  await expect(read(db, 1)).rejects.toThrow(DatabaseUnavailable)
  // The calls reject before the next turn of the event loop, so they wait neither for a timer nor for the network.
  const refusals = Promise.allSettled(numbers(500).map((number) => read(db, number)))
  const outcomes = await Promise.race([refusals, nextTurn([])])
  expect(outcomes.map(({ status }) => status)).toEqual(Array(500).fill('rejected'))
  await expect(db.transaction((transaction) => transaction.insert(marks).values({ mark: 1 }))).rejects.toMatchObject({
    isOutcomeUnknown: false,
  })
  await link.mend()
  await expect.poll(() => read(db, 1).catch(() => undefined)).toBe(1)
  expect(await stored()).toEqual([])
  expect(lines).toEqual(['Lost the database, reconnecting', 'The database can be reached again'])
})

test('a call fails if too many other calls are waiting for the database', async () => {
  const db = await openDatabase({ patience: { maxWaiting: 5 } })
  await link.cut()
  await expect(db.ping()).rejects.toThrow(DatabaseUnavailable)
  const reads = Promise.allSettled(numbers(20).map((number) => read(db, number)))
  await link.mend()
  expect((await reads).map(({ status }) => status)).toEqual([...Array(5).fill('fulfilled'), ...Array(15).fill('rejected')])
})

test('connection attempts are made with pauses if a proxy accepts connections and closes them', async () => {
  const { log, lines } = aLog()
  const db = await openDatabase({ patience: { unsentMs: 300 }, log })
  await link.hangUp()
  const number = read(db, 3)
  await expect.poll(() => lines).toEqual(['Lost the database, reconnecting'])
  const before = link.taken
  await expect.poll(() => link.taken).toBeGreaterThan(before + 2)
  expect(link.taken - before).toBeLessThan(50)
  await link.mend()
  expect(await number).toBe(3)
})

test('a connection that stops answering is replaced while a statement waits for this connection', async () => {
  const { log, lines } = aLog()
  const db = await openDatabase({ patience: { unsentMs: 300 }, log })
  await link.fallSilent()
  const waiting = Promise.all(numbers(10).map((number) => read(db, number)))
  await expect.poll(() => lines).toEqual(['Lost the database, reconnecting'])
  await link.mend()
  expect(await waiting).toEqual(numbers(10))
})

test('calls reject at once if the database client is closed', async () => {
  const connection = createDatabase(link.url)
  await link.cut()
  const read = connection.db.execute(sql`select 1`).catch((error: unknown) => error)
  await expect(connection.db.ping()).rejects.toThrow(DatabaseUnavailable)
  await connection.close()
  expect(await read).toBeInstanceOf(DatabaseUnavailable)
  await expect(connection.db.execute(sql`select 1`)).rejects.toThrow(DatabaseUnavailable)
})
