import { spawn } from 'node:child_process'
import { once as event } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createRedisSeatCounter } from './redis-seats.ts'
import { createInProcessSeatCounter, type Seats } from './seats.ts'
import { redisMissing, startTestRedis, type TestRedis } from './testing.ts'

const waiting = { timeout: 120_000, interval: 10 }

let serial = 0
function freshName() {
  return `name-${++serial}`
}

/** Tries to take several seats concurrently. @returns functions that free the taken seats */
async function takeMany(seats: Seats, name: string, limit: number, tries: number): Promise<(() => void)[]> {
  const taken = await Promise.all(Array.from({ length: tries }, () => seats.take(name, limit)))
  return taken.filter((free) => free !== undefined)
}

function isFull(seats: Seats, name: string, limit: number) {
  return vi.waitFor(async () => {
    const free = await seats.take(name, limit)
    free?.()
    expect(free, 'a seat where none is free').toBeUndefined()
  }, waiting)
}

/** Defines the tests that each implementation of `Seats` must pass. `here` and `there` stand for two processes. */
function behavesAsSeats(ends: () => { here: Seats; there: Seats }): void {
  it('grants at most `limit` seats to concurrent callers', async () => {
    const { here, there } = ends()
    const name = freshName()
    const taken = await Promise.all([takeMany(here, name, 10, 9), takeMany(there, name, 10, 9)])
    expect(taken.flat()).toHaveLength(10)
    expect(await here.take(name, 10)).toBeUndefined()
    expect(await there.take(name, 10)).toBeUndefined()
  })

  it('frees a seat only once, even if the function that frees it is called twice', async () => {
    const { here, there } = ends()
    const name = freshName()
    const [first] = await takeMany(here, name, 3, 3)
    first?.()
    first?.()
    await vi.waitFor(async () => expect(await there.take(name, 3)).toBeDefined(), waiting)
    expect([await here.take(name, 3), await there.take(name, 3)]).toEqual([undefined, undefined])
  })

  it('does not count a seat for a refused caller', async () => {
    const { here, there } = ends()
    const name = freshName()
    const taken = await takeMany(here, name, 2, 2)
    expect(await takeMany(there, name, 2, 50)).toEqual([])
    for (const free of taken) free()
    await vi.waitFor(async () => expect(await takeMany(there, name, 2, 2)).toHaveLength(2), waiting)
  })

  it('counts the seats of each name separately', async () => {
    const { here, there } = ends()
    expect(await here.take(freshName(), 1)).toBeDefined()
    expect(await there.take(freshName(), 1)).toBeDefined()
  })
}

describe('the in-process adapter', () => {
  const seats = createInProcessSeatCounter()
  behavesAsSeats(() => ({ here: seats, there: seats }))
})

describe.skipIf(redisMissing)(`the Redis adapter${redisMissing ? `: ${redisMissing}` : ''}`, () => {
  let redis: TestRedis
  let ends: { here: Seats; there: Seats }
  const opened: Seats[] = []

  /** Long timeout, because the test machine may pause for seconds. */
  const patient = { answerWithinMs: 120_000 }

  async function open(options: Partial<Parameters<typeof createRedisSeatCounter>[0]> = {}): Promise<Seats> {
    const seats = createRedisSeatCounter({ url: redis.url, ...patient, ...options })
    opened.push(seats)
    await isShared(seats)
    return seats
  }

  const isShared = (seats: Seats) =>
    vi.waitFor(() => expect(seats.isShared(), 'connected to Redis').toBe(true), { timeout: 120_000, interval: 10 })

  beforeAll(async () => {
    redis = await startTestRedis()
    ends = { here: await open(), there: await open() }
  })
  afterAll(async () => {
    await Promise.all([ends.here.close(), ends.there.close()])
    await redis.close()
  })
  afterEach(async () => {
    const own = opened.splice(0).filter((seats) => seats !== ends.here && seats !== ends.there)
    await Promise.all(own.map((seats) => seats.close()))
  })

  behavesAsSeats(() => ends)

  it('the adapter frees the seats of a killed process after its lease, and retains the seats of live processes', async () => {
    const lease = { keyPrefix: 'killed:', leaseMs: 1_000 }
    const survivor = await open(lease)
    const name = freshName()
    expect(await takeMany(survivor, name, 10, 4)).toHaveLength(4)
    const url = JSON.stringify(new URL('redis-seats.ts', import.meta.url).href)
    const settings = JSON.stringify({ url: redis.url, ...patient, ...lease })
    const program = `
      const { createRedisSeatCounter } = await import(${url})
      const seats = createRedisSeatCounter(${settings})
      setInterval(() => {}, 1_000)
      while (!seats.isShared()) await new Promise((resolve) => setTimeout(resolve, 10))
      for (let taken = 0; taken < 6; taken += 1) await seats.take(${JSON.stringify(name)}, 10)
      process.stdout.write('holding')`
    const victim = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    await event(victim.stdout, 'data')
    await isFull(survivor, name, 10)
    victim.kill('SIGKILL')
    await event(victim, 'exit')
    await vi.waitFor(async () => expect(await survivor.take(name, 10)).toBeDefined(), waiting)
    expect(await takeMany(survivor, name, 10, 10)).toHaveLength(5)
  })

  it('the adapter renews the lease of a process, so that its seats remain taken after the first lease would end', async () => {
    const lease = { keyPrefix: 'kept:', leaseMs: 200 }
    const [here, there] = [await open(lease), await open(lease)]
    const name = freshName()
    await here.take(name, 1)
    const { createClient } = await import('redis')
    const watcher = await createClient({ url: redis.url }).connect()
    const lastEnd = async () => Math.max(...(await watcher.zRangeWithScores('kept:alive', 0, -1)).map(({ score }) => score))
    const end = (await lastEnd()) + 2 * lease.leaseMs
    await vi.waitFor(async () => expect(await lastEnd()).toBeGreaterThan(end), waiting)
    watcher.destroy()
    await isFull(there, name, 1)
  })

  it('if a process stops cleanly, another process can immediately use the whole limit', async () => {
    const [here, there] = [await open({ keyPrefix: 'ended:' }), await open({ keyPrefix: 'ended:' })]
    const name = freshName()
    await takeMany(here, name, 5, 5)
    await here.close()
    expect(await takeMany(there, name, 5, 6)).toHaveLength(5)
  })

  it('counts each process separately while Redis is unreachable, and counts all processes together afterwards', async () => {
    const own = await startTestRedis()
    const [here, there] = [await open({ url: own.url }), await open({ url: own.url })]
    const [name, left] = [freshName(), freshName()]
    await takeMany(here, name, 8, 2)
    const [free] = await takeMany(here, left, 1, 1)
    await own.kill()
    await vi.waitFor(() => expect([here.isShared(), there.isShared()]).toEqual([false, false]), waiting)
    free?.()
    expect(await takeMany(here, name, 8, 8)).toHaveLength(6)
    const [second] = await takeMany(there, name, 8, 9)
    await own.start()
    await Promise.all([isShared(here), isShared(there)])
    // The two processes have taken 8 seats each, although the limit is 8. Even after one of the 16 seats is freed, no seat is
    // available.
    second?.()
    await isFull(there, name, 8)
    expect(await there.take(left, 1)).toBeDefined()
    await Promise.all([here.close(), there.close()])
    await own.close()
  })

  it('restores the counts after Redis lost its data', async () => {
    const lease = { keyPrefix: 'forgotten:', leaseMs: 400 }
    const [here, there] = [await open(lease), await open(lease)]
    const name = freshName()
    await takeMany(here, name, 2, 2)
    const { createClient } = await import('redis')
    const stranger = await createClient({ url: redis.url }).connect()
    await stranger.flushAll()
    stranger.destroy()
    await isFull(there, name, 2)
  })

  it('a process enforces a limit without delay if Redis does not respond', async () => {
    const own = await startTestRedis()
    const seats = await open({ url: own.url, answerWithinMs: 100 })
    own.freeze()
    // Redis is still frozen here. A call that waited for Redis would reach the timeout of the test.
    expect(await takeMany(seats, freshName(), 3, 5)).toHaveLength(3)
    own.thaw()
    await seats.close()
    await own.close()
  })

  it('rejects an address that is not a Redis URL', () => {
    expect(() => createRedisSeatCounter({ url: 'http://localhost' })).toThrow()
  })
})
