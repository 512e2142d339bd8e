import { randomUUID } from 'node:crypto'
import type { BusLogger } from './message-bus.ts'
import { createRedisLink, type RedisConnection } from './redis-link.ts'
import { SeatCounts } from './seat-counts.ts'
import { once, type Seats } from './seats.ts'
import { within } from './within.ts'

/** Names that are told in one script, which nothing else can interrupt. */
const namesPerScript = 500
/** What a process that died leaves behind stays for so many leases. It counts for one. */
const leasesKept = 6
const closeGraceMs = 1_000

/**
 * `alive` holds the processes with the time, by Redis' clock, until which each is believed to live; `name` holds how many seats
 * each of them has. Seats of a process that is not alive do not count.
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
const tellScript = `
for i, name in ipairs(KEYS) do
  redis.call('HSET', name, ARGV[1], ARGV[i + 2])
  redis.call('PEXPIRE', name, ARGV[2] * ${leasesKept})
end
`

/** KEYS: alive. ARGV: holder, lease in ms, and where it had another name before, that. */
const liveScript = `${nowInMs}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
if ARGV[3] then redis.call('ZREM', KEYS[1], ARGV[3]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2] * ${leasesKept})
`

/** KEYS: alive. ARGV: holder. */
const dieScript = `redis.call('ZREM', KEYS[1], ARGV[1])`

export interface RedisSeatsOptions {
  /** `redis://` or `rediss://`, with user and password where needed. */
  readonly url: string
  /** Start of all keys. Platforms that share one Redis need different ones. */
  readonly keyPrefix?: string
  /** Seats of a process that died are free after this time. A living one says four times as often that it is there. */
  readonly leaseMs?: number
  /** Slower answers count as none: nobody is kept waiting for a limit. */
  readonly answerWithinMs?: number
  readonly log?: BusLogger
}

/**
 * Seats of all processes that use one Redis. Each tells a few times in a lease how many it holds of what, so that whatever went
 * wrong between is right again after that. While Redis is away or slow each process counts for itself; what was taken then counts
 * for all as soon as Redis is back. Connects in the background; throws only for an address that is no Redis URL.
 */
export function createRedisSeats(options: RedisSeatsOptions): Seats {
  const { log, keyPrefix = 'capstan:{seats}:', leaseMs = 10_000, answerWithinMs = 250 } = options
  const counts = new SeatCounts()
  const aliveKey = `${keyPrefix}alive`
  const keyOf = (name: string): string => `${keyPrefix}of:${name}`
  let isClosed = false
  let hasWarned = false
  let holder: string = randomUUID()
  /** Whether Redis knows what this process holds. If not, a fresh name is used next, so that nothing old counts. */
  let isKnown = false
  /** How often everything was told. */
  let tellings = 0

  const link = createRedisLink({ url: options.url, name: 'capstan-seats', livenessMs: leaseMs, log, onReady: tellAll })
  const timer = setInterval(tellAll, leaseMs / 4)
  timer.unref()

  /** Sends everything at once: whatever is sent afterwards on the same connection, Redis does afterwards. */
  function tellAll(): void {
    const connection = link.current()
    if (isClosed || !connection.isReady) return
    const previous = isKnown ? [] : [holder]
    if (!isKnown) holder = randomUUID()
    isKnown = true
    tellings += 1
    const told = counts.entries()
    const work: Promise<unknown>[] = []
    for (let start = 0; start < told.length; start += namesPerScript) {
      const part = told.slice(start, start + namesPerScript)
      const keys = part.map(([name]) => keyOf(name))
      work.push(run(connection, tellScript, keys, [holder, leaseMs, ...part.map(([, taken]) => taken)]))
    }
    work.push(run(connection, liveScript, [aliveKey], [holder, leaseMs, ...previous]))
    void settle(holder, Promise.all(work))
  }

  /** Sent before this returns. */
  async function run(connection: RedisConnection, script: string, keys: string[], values: (string | number)[]): Promise<unknown> {
    return within(connection.eval(script, { keys, arguments: values.map(String) }), answerWithinMs)
  }

  /** @returns the answer; undefined: there is none, and what Redis knows of that holder is in doubt. */
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
    const [asker, toldBefore] = [holder, tellings]
    const answer = await settle(asker, run(link.current(), takeScript, [aliveKey, keyOf(name)], [asker, limit, leaseMs]))
    if (answer === 1 || answer === undefined) return seat
    counts.leave(name)
    // What was told meanwhile has this seat in it.
    if (tellings !== toldBefore) leaveInRedis(name)
    if (answer === 0) return undefined
    // Redis forgot this process, or took it for dead.
    if (holder === asker) {
      isKnown = false
      tellAll()
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
      if (link.current().isReady) await settle(holder, run(link.current(), dieScript, [aliveKey], [holder]))
      await link.close(closeGraceMs)
    },
  }
}
