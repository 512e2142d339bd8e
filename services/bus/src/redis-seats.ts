import { randomUUID } from 'node:crypto'
import type { BusLogger } from './message-bus.ts'
import { createRedisLink, type RedisConnection } from './redis-link.ts'
import { SeatCounts } from './seat-counts.ts'
import { once, type Seats } from './seats.ts'
import { within } from './within.ts'

/** How many names one script writes. Redis runs nothing else while a script runs, so a script must be short. */
const namesPerScript = 500
/** Keys of a process that died are kept for this many leases. Its seats count for one lease only. */
const leasesKept = 6
const closeGraceMs = 1_000

/**
 * The key `alive` maps each process to the time, by Redis' clock, until which it is taken to be alive. The key of a name maps each
 * process to the number of seats it holds. Seats of a process that is not alive do not count.
 */
const nowInMs = `local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** KEYS: alive, name. ARGV: holder, limit, lease in ms. Returns 1: taken, 0: none is free, -1: the holder is not alive. */
const takeScript = `${nowInMs}
local function isAlive(holder)
  local untilMs = redis.call('ZSCORE', KEYS[1], holder)
  return untilMs and tonumber(untilMs) > now
end
if not isAlive(ARGV[1]) then return -1 end
local seats, taken = redis.call('HGETALL', KEYS[2]), 0
for i = 1, #seats, 2 do
  if isAlive(seats[i]) then taken = taken + tonumber(seats[i + 1]) else redis.call('HDEL', KEYS[2], seats[i]) end
end
if taken >= tonumber(ARGV[2]) then return 0 end
redis.call('HINCRBY', KEYS[2], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[2], ARGV[3] * ${leasesKept})
return 1
`

/** KEYS: name. ARGV: holder. */
const leaveScript = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 and redis.call('HINCRBY', KEYS[1], ARGV[1], -1) <= 0 then
  redis.call('HDEL', KEYS[1], ARGV[1])
end
`

/** KEYS: names. ARGV: holder, lease in ms, how many of each. */
const writeCountsScript = `
for i, name in ipairs(KEYS) do
  redis.call('HSET', name, ARGV[1], ARGV[i + 2])
  redis.call('PEXPIRE', name, ARGV[2] * ${leasesKept})
end
`

/** KEYS: alive. ARGV: holder, lease in ms, and the holder's previous name if it had one. */
const renewLeaseScript = `${nowInMs}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
if ARGV[3] then redis.call('ZREM', KEYS[1], ARGV[3]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2] * ${leasesKept})
`

/** KEYS: alive. ARGV: holder. */
const endLeaseScript = `redis.call('ZREM', KEYS[1], ARGV[1])`

export interface RedisSeatsOptions {
  /** `redis://` or `rediss://`, with user and password where needed. */
  readonly url: string
  /** Start of all keys. Platforms that share one Redis need different ones. */
  readonly keyPrefix?: string
  /** Seats of a process that died are free after this time. A living process renews its lease four times as often. */
  readonly leaseMs?: number
  /** A slower answer counts as no answer, so that no caller waits long for a limit. */
  readonly answerWithinMs?: number
  readonly log?: BusLogger
}

/**
 * Seats of all processes that use one Redis. Each process writes all its counts several times per lease, which corrects whatever
 * went wrong before. While Redis is away or slow, each process counts for itself. Seats taken in that time count for all processes
 * as soon as Redis is back. Connects in the background; throws only for an address that is no Redis URL.
 */
export function createRedisSeats(options: RedisSeatsOptions): Seats {
  const { log, keyPrefix = 'capstan:{seats}:', leaseMs = 10_000, answerWithinMs = 250 } = options
  const counts = new SeatCounts()
  const aliveKey = `${keyPrefix}alive`
  const keyOf = (name: string): string => `${keyPrefix}of:${name}`
  let isClosed = false
  let hasWarned = false
  let holder: string = randomUUID()
  /** Whether Redis has the counts of this process. If not, the process takes a new holder name, so that old counts do not matter. */
  let isKnown = false
  /** How often all counts were written. */
  let writes = 0

  const link = createRedisLink({ url: options.url, name: 'capstan-seats', livenessMs: leaseMs, log, onReady: writeCounts })
  const timer = setInterval(writeCounts, leaseMs / 4)
  timer.unref()

  /** Sends all counts without waiting. Redis handles later commands of the same connection after them. */
  function writeCounts(): void {
    const connection = link.current()
    if (isClosed || !connection.isReady) return
    const previous = isKnown ? [] : [holder]
    if (!isKnown) holder = randomUUID()
    isKnown = true
    writes += 1
    const held = counts.entries()
    const work: Promise<unknown>[] = []
    for (let start = 0; start < held.length; start += namesPerScript) {
      const part = held.slice(start, start + namesPerScript)
      const keys = part.map(([name]) => keyOf(name))
      work.push(run(connection, writeCountsScript, keys, [holder, leaseMs, ...part.map(([, taken]) => taken)]))
    }
    work.push(run(connection, renewLeaseScript, [aliveKey], [holder, leaseMs, ...previous]))
    void settle(holder, Promise.all(work))
  }

  /** The command is sent before this returns. */
  async function run(connection: RedisConnection, script: string, keys: string[], values: (string | number)[]): Promise<unknown> {
    return within(connection.eval(script, { keys, arguments: values.map(String) }), answerWithinMs)
  }

  /** @returns the answer; undefined: none came, and the counts that Redis has of this holder may be wrong. */
  async function settle(asker: string, work: Promise<unknown>): Promise<unknown> {
    try {
      const answer = await work
      hasWarned = false
      return answer
    } catch (error) {
      if (holder === asker) isKnown = false
      if (!hasWarned && !isClosed)
        log?.warn({ err: error }, 'Redis did not answer, seats count in this process alone for a moment')
      hasWarned = true
      return undefined
    }
  }

  const isShared = (): boolean => isKnown && link.current().isReady

  function leave(name: string): void {
    counts.leave(name)
    leaveInRedis(name)
  }

  function leaveInRedis(name: string): void {
    if (isShared()) void settle(holder, run(link.current(), leaveScript, [keyOf(name)], [holder]))
    else isKnown = false
  }

  async function take(name: string, limit: number): Promise<(() => void) | undefined> {
    if (!counts.take(name, limit)) return undefined
    const seat = once(() => leave(name))
    if (!isShared()) return seat
    const [asker, writesBefore] = [holder, writes]
    const answer = await settle(asker, run(link.current(), takeScript, [aliveKey, keyOf(name)], [asker, limit, leaseMs]))
    if (answer === 1 || answer === undefined) return seat
    counts.leave(name)
    // Counts written meanwhile include this seat.
    if (writes !== writesBefore) leaveInRedis(name)
    if (answer === 0) return undefined
    // Redis lost the lease of this process, or the lease ran out.
    if (holder === asker) {
      isKnown = false
      writeCounts()
    }
    return take(name, limit)
  }

  return {
    take,
    isShared,
    async close() {
      if (isClosed) return
      isClosed = true
      clearInterval(timer)
      if (link.current().isReady) await settle(holder, run(link.current(), endLeaseScript, [aliveKey], [holder]))
      await link.close(closeGraceMs)
    },
  }
}
