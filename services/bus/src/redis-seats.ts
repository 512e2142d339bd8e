import { randomUUID } from 'node:crypto'
import { SeatCounts } from '@capstan/contract/seat-counts'
import type { BusLogger } from './message-bus.ts'
import { createRedisLink, type RedisConnection } from './redis-link.ts'
import { makeIdempotent, type Seats } from './seats.ts'
import { withTimeout } from './with-timeout.ts'

/**
 * Maximum number of counters that one run of a script writes. Without this limit, a long run would block Redis for all
 * clients.
 */
const namesPerScript = 500
/**
 * Number of lease times after which Redis deletes a key that no process renews. The seats of a dead process stop counting earlier,
 * after one lease time.
 */
const keyLifetimeLeases = 6
const closeGraceMs = 1_000

/** Lua code that reads the clock of Redis. All processes compare leases with this clock. */
const nowInMs = `local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/**
 * Script that counts one more use of a limit. KEYS: alive, name. ARGV: holder, limit, lease in ms. Returns 1 on success, 0 if the
 * limit is reached, -1 if the holder has no lease.
 */
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
redis.call('PEXPIRE', KEYS[2], ARGV[3] * ${keyLifetimeLeases})
return 1
`

/** Script that frees a seat. KEYS: name. ARGV: holder. */
const leaveScript = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 and redis.call('HINCRBY', KEYS[1], ARGV[1], -1) <= 0 then
  redis.call('HDEL', KEYS[1], ARGV[1])
end
`

/** Script that writes the seat counts of a holder. KEYS: names. ARGV: holder, lease in ms, count of each name. */
const writeCountsScript = `
for i, name in ipairs(KEYS) do
  redis.call('HSET', name, ARGV[1], ARGV[i + 2])
  redis.call('PEXPIRE', name, ARGV[2] * ${keyLifetimeLeases})
end
`

/**
 * Script that renews the lease of a holder. KEYS: alive. ARGV: holder, lease in ms, and the previous id of the holder if it has
 * changed.
 */
const renewLeaseScript = `${nowInMs}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
if ARGV[3] then redis.call('ZREM', KEYS[1], ARGV[3]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2] * ${keyLifetimeLeases})
`

/** Script that ends the lease of a holder. KEYS: alive. ARGV: holder. */
const endLeaseScript = `redis.call('ZREM', KEYS[1], ARGV[1])`

export type RedisSeatsOptions = Readonly<{
  /** Redis URL (`redis://` or `rediss://`), with user and password if needed. */
  url: string
  /** Prefix of all keys. Platforms that share one Redis need different prefixes. */
  keyPrefix?: string
  /**
   * Time in ms after which the seats of a dead process no longer count. A live process renews its lease four times within this
   * time.
   */
  leaseMs?: number
  /** Maximum wait for a response of Redis, in ms, so that a limit never delays a caller for long. */
  answerWithinMs?: number
  log?: BusLogger
}>

/**
 * Creates the adapter that enforces limits across all processes with the same Redis. While Redis is unreachable, each process
 * counts alone.
 * @throws only if the address is not a Redis URL
 */
export function createRedisSeatCounter(options: RedisSeatsOptions): Seats {
  const { log, keyPrefix = 'capstan:{seats}:', leaseMs = 10_000, answerWithinMs = 250 } = options
  const counts = new SeatCounts()
  /** Redis key of the leases of all processes. */
  const aliveKey = `${keyPrefix}alive`
  /** Returns the Redis key of the seat counts of a limit. */
  const keyOf = (name: string): string => `${keyPrefix}of:${name}`
  let isClosed = false
  let hasWarned = false
  let holder: string = randomUUID()
  /**
   * True if Redis has the correct counts of this process. If false, the next write uses a new holder id, so that wrong counts under
   * the old id are ignored.
   */
  let isKnown = false
  /** Number of times that this process has written all its counts. */
  let writes = 0

  const link = createRedisLink({ url: options.url, name: 'capstan-seats', livenessMs: leaseMs, log, onReady: writeCounts })
  const timer = setInterval(writeCounts, leaseMs / 4)
  timer.unref()

  /**
   * Sends all counts to Redis without waiting for the response. Redis executes later commands on this connection after these
   * writes.
   */
  function writeCounts(): void {
    const connection = link.current()
    if (isClosed || !connection.isReady) return
    const previous = isKnown ? [] : [holder]
    if (!isKnown) holder = randomUUID()
    isKnown = true
    writes += 1
    const pairs = counts.entries()
    const work: Promise<unknown>[] = []
    for (let start = 0; start < pairs.length; start += namesPerScript) {
      const part = pairs.slice(start, start + namesPerScript)
      const keys = part.map(([name]) => keyOf(name))
      work.push(run(connection, writeCountsScript, keys, [holder, leaseMs, ...part.map(([, taken]) => taken)]))
    }
    work.push(run(connection, renewLeaseScript, [aliveKey], [holder, leaseMs, ...previous]))
    void settle(holder, Promise.all(work))
  }

  /** Runs a script. The command is sent before this function returns its promise. */
  async function run(connection: RedisConnection, script: string, keys: string[], values: (string | number)[]): Promise<unknown> {
    return withTimeout(connection.eval(script, { keys, arguments: values.map(String) }), answerWithinMs)
  }

  /**
   * Waits for a response of Redis.
   * @returns undefined if no response arrived. The counts of this process in Redis may then be wrong.
   */
  async function settle(asker: string, work: Promise<unknown>): Promise<unknown> {
    try {
      const answer = await work
      hasWarned = false
      return answer
    } catch (error) {
      if (holder === asker) isKnown = false
      if (!hasWarned && !isClosed)
        log?.warn({ err: error }, 'Redis did not answer: each process counts its seats alone for a moment')
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
    const seat = makeIdempotent(() => leave(name))
    if (!isShared()) return seat
    const [asker, writesBefore] = [holder, writes]
    const answer = await settle(asker, run(link.current(), takeScript, [aliveKey, keyOf(name)], [asker, limit, leaseMs]))
    if (answer === 1 || answer === undefined) return seat
    counts.leave(name)
    // During the script, `writeCounts` may have sent a count that includes this seat. So free the seat in Redis.
    if (writes !== writesBefore) leaveInRedis(name)
    if (answer === 0) return undefined
    // The lease of this process has expired, or Redis has lost its data, so write all counts again.
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
