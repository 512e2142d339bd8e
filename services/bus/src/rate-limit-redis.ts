import { type CommandParser, createClient, defineScript } from 'redis'
import type { BusLogger } from './message-bus.ts'
import type { RateDecision, RateRule } from './rate-limit-rules.ts'
import { createMemoryRateLimitStore, type RateLimitStore } from './rate-limit-store.ts'
import { reconnectDelayMs } from './redis-link.ts'
import { withTimeout } from './with-timeout.ts'

const keyPrefix = 'capstan:rate:'
/**
 * Time in ms for which Redis retains a key after the rules no longer need it. The rules use the clocks of the callers,
 * but Redis uses the clock of its server. This time covers the difference between the clocks.
 */
const cleanUpMs = 60_000
/** Pause in ms after a response of Redis did not arrive in time. During the pause, this process sends nothing to Redis. */
const pauseMs = 2_000

/**
 * Redis script with the rules of `takeRatePermit`. KEYS: key of the state. ARGV: kind of the rule, current time in ms, parameters
 * of the rule. Returns the decision (`go`, `wait` or `refuse`) and a waiting time in ms.
 */
const takeScript = `
local kind, now = ARGV[1], tonumber(ARGV[2])
local state = redis.call('HGETALL', KEYS[1])
local function store(amounts, forgetAt)
  redis.call('DEL', KEYS[1])
  for number, amount in pairs(amounts) do redis.call('HSET', KEYS[1], string.format('%.0f', number), amount) end
  redis.call('PEXPIRE', KEYS[1], math.max(1, forgetAt - now) + ${cleanUpMs})
end
if kind == 'token-bucket' then
  local capacity, refill, period = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
  local present = math.floor(now / period)
  local last, left = tonumber(state[1] or present), tonumber(state[2] or capacity)
  local tokens = math.min(capacity, left + math.max(0, present - last) * refill)
  local after = math.max(0, tokens - 1)
  store({ [present] = after }, (present + math.ceil((capacity - after) / refill)) * period)
  if tokens > 0 then return { 'go', 0 } end
  return { 'refuse', (present + 1) * period - now }
end
if kind == 'fixed-window' then
  local count, window = tonumber(ARGV[3]), tonumber(ARGV[4])
  local start, taken = tonumber(state[1] or now), tonumber(state[2] or 0)
  if now >= start + window then start, taken = now, 0 end
  if taken >= count then return { 'refuse', start + window - now } end
  store({ [start] = taken + 1 }, start + window)
  return { 'go', 0 }
end
local count, segments, length, queued = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local present = math.floor(now / length)
local counts, last = {}, present
for i = 1, #state, 2 do
  local segment = tonumber(state[i])
  if segment > present - segments then
    counts[segment] = tonumber(state[i + 1])
    last = math.max(last, segment)
  end
end
local function sum(from, to)
  local total = 0
  for segment = from, to do total = total + (counts[segment] or 0) end
  return total
end
local segment = last
while sum(segment - segments + 1, segment) >= count do segment = segment + 1 end
local wait = segment * length - now
if segment > present and sum(present + 1, last) >= queued then return { 'refuse', wait } end
counts[segment] = (counts[segment] or 0) + 1
store(counts, (math.max(segment, last) + segments) * length)
if segment == present then return { 'go', 0 } end
return { 'wait', wait }
`

/**
 * Script that adds a holder to a queue, or renews its lease. KEYS: queue (map from holder to order of arrival), leases (map from
 * holder to end in ms), counter of arrivals. ARGV: holder, current time in ms, capacity of the queue, lease in ms. Returns the
 * number of earlier holders, or -1 if the queue is full.
 */
const enterScript = `
local holder, now, room, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
for _, expired in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  redis.call('ZREM', KEYS[1], expired)
  redis.call('ZREM', KEYS[2], expired)
end
if not redis.call('ZSCORE', KEYS[1], holder) then
  if redis.call('ZCARD', KEYS[1]) >= room then return -1 end
  redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[3]), holder)
end
redis.call('ZADD', KEYS[2], now + lease, holder)
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, lease + ${cleanUpMs}) end
return redis.call('ZRANK', KEYS[1], holder)
`

/** Script that removes a holder from a queue. KEYS: queue, leases. ARGV: holder. */
const leaveScript = `redis.call('ZREM', KEYS[1], ARGV[1]) redis.call('ZREM', KEYS[2], ARGV[1])`

/**
 * Returns a Redis command that runs a script. The client sends the digest of the script, and the source only if Redis does not
 * know the digest.
 */
function script(source: string, numberOfKeys: number) {
  return defineScript({
    SCRIPT: source,
    NUMBER_OF_KEYS: numberOfKeys,
    parseCommand(parser: CommandParser, keys: string[], values: (string | number)[]) {
      parser.pushKeys(keys)
      parser.push(...values.map(String))
    },
    transformReply: (reply: unknown) => reply,
  })
}

function numbersOf(rule: RateRule): number[] {
  switch (rule.kind) {
    case 'token-bucket':
      return [rule.capacity, rule.refill, rule.periodMs]
    case 'fixed-window':
      return [rule.count, rule.windowMs]
    case 'sliding-window':
      return [rule.count, rule.segments, rule.segmentMs, rule.queued]
  }
}

function readDecision(reply: unknown): RateDecision {
  const [kind, ms] = reply as [string, number]
  if (kind === 'wait') return { kind, waitMs: Number(ms) }
  if (kind === 'refuse') return { kind, retryAfterMs: Number(ms) }
  return { kind: 'go' }
}

function queueKeys(key: string): string[] {
  return ['row', 'leases', 'counter'].map((part) => `${keyPrefix}{${key}}:${part}`)
}

export interface RedisRateLimitStore extends RateLimitStore {
  /** True if this process currently shares its counts with the other replicas through Redis. */
  isShared(): boolean
}

type RedisRateLimitOptions = Readonly<{
  log?: BusLogger
  /** Maximum time to wait for a response of Redis, in ms, so that rate limiting never delays a call for long. */
  answerWithinMs?: number
}>

/**
 * Creates a store through which all replicas share one count. The store connects in the background. While Redis is
 * unreachable or slow, each process counts alone.
 * @throws only if `url` is not a Redis URL
 */
export function createRedisRateLimitStore(
  url: string,
  { log, answerWithinMs = 250 }: RedisRateLimitOptions = {},
): RedisRateLimitStore {
  const local = createMemoryRateLimitStore()
  let pausedUntilMs = 0
  let isReported = false
  let isClosed = false
  const client = createClient({
    url,
    name: 'capstan-limits',
    disableOfflineQueue: true,
    scripts: { take: script(takeScript, 1), enter: script(enterScript, 3), leave: script(leaveScript, 2) },
    socket: { connectTimeout: 5_000, reconnectStrategy: (attempt) => reconnectDelayMs(attempt, Math.random()) },
  })
  client.on('error', (error: unknown) => {
    if (isReported || isClosed) return
    isReported = true
    log?.warn({ err: error }, 'Lost Redis: each process counts its rate limits alone until Redis is back')
  })
  client.on('ready', () => {
    isReported = false
  })
  // Ignore the promise. It resolves at the first connection, and rejects only if the client is closed before the first connection.
  client.connect().catch(() => {})

  const isShared = (): boolean => client.isReady && performance.now() >= pausedUntilMs

  /** @throws if Redis does not answer in time */
  const run = (name: 'take' | 'enter' | 'leave', keys: string[], values: (string | number)[]): Promise<unknown> =>
    withTimeout(client[name](keys, values), answerWithinMs)

  const shared = async <Result>(ask: () => Promise<Result>, alone: () => Promise<Result>): Promise<Result> => {
    if (!isShared()) return alone()
    try {
      return await ask()
    } catch (error) {
      pausedUntilMs = performance.now() + pauseMs
      log?.warn({ err: error }, 'Redis did not answer: each process counts its rate limits alone for a moment')
      return alone()
    }
  }

  return {
    isShared,
    take: (key, rule, nowMs) =>
      shared(
        async () => readDecision(await run('take', [keyPrefix + key], [rule.kind, nowMs, ...numbersOf(rule)])),
        () => local.take(key, rule, nowMs),
      ),
    enter: (key, holder, rule, nowMs) =>
      shared(
        async () => {
          const place = await run('enter', queueKeys(key), [holder, nowMs, rule.running + rule.queued, rule.leaseMs])
          return Number(place) < 0 ? undefined : Number(place)
        },
        () => local.enter(key, holder, rule, nowMs),
      ),
    async leave(key, holder) {
      await local.leave(key, holder)
      const [queue = '', leases = ''] = queueKeys(key)
      await shared(
        () => run('leave', [queue, leases], [holder]),
        async () => undefined,
      )
    },
    async close() {
      if (isClosed) return
      isClosed = true
      client.destroy()
      await local.close()
    },
  }
}
