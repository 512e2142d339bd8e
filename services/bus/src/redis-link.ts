import { createClient } from 'redis'
import type { BusLogger } from './message-bus.ts'

const reconnectMaxMs = 2_000
const connectTimeoutMs = 5_000
const queuedCommandsMax = 10_000

/** The part of the Redis client that messages and seats use. */
export interface RedisConnection {
  readonly isReady: boolean
  publish(channel: string, text: string): Promise<number>
  subscribe(channel: string, listener: (text: string) => void): Promise<void>
  /** Runs a script, which nothing else interrupts. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** One connection to Redis that comes back for ever, whatever happens to the server or to the network between. */
export interface RedisLink {
  /** The connection of this moment; may be down. Its commands reject while it is. */
  current(): RedisConnection
  /** Redis was reached by the last try, and did not let this process in. */
  isRefused(): boolean
  /** Ends it. Commands that wait for an answer get `graceMs` to receive it. */
  close(graceMs: number): Promise<void>
}

export interface RedisLinkOptions {
  readonly url: string
  /** Shown by `CLIENT LIST`. */
  readonly name: string
  /** How often the connection is asked for a sign of life; without an answer in this time it is replaced. */
  readonly livenessMs: number
  /** Called each time Redis can be used. A renewed connection has its subscriptions back already, a new one has none yet. */
  readonly onReady?: (connection: RedisConnection, kind: 'new' | 'renewed') => void
  readonly log?: BusLogger | undefined
}

/** Grows from 50 ms to 2 s and is spread by up to a half, so that replicas do not return in the same instant. */
export function reconnectDelayMs(attempt: number, random: number): number {
  const base = Math.min(50 * 2 ** Math.min(attempt, 10), reconnectMaxMs)
  return Math.round(base * (0.5 + random / 2))
}

/** Connects in the background. Throws only for an address that is no Redis URL. */
export function createRedisLink(options: RedisLinkOptions): RedisLink {
  let isClosed = false
  let isReported = false
  let isRefused = false
  let client = open()
  const watchdog = setInterval(() => void askForLife(), options.livenessMs)
  watchdog.unref()

  function open() {
    let isFirstReady = true
    let isGreeting = false
    const opened = createClient({
      url: options.url,
      name: options.name,
      disableOfflineQueue: true,
      commandsQueueMaxLength: queuedCommandsMax,
      socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: (attempt) => reconnectDelayMs(attempt, Math.random()) },
    })
    opened.on('error', (error: unknown) => {
      if (isClosed || opened !== client) return
      // Redis may say no before it was asked, or hang up faster than its words arrive, and each is an error of its own kind, or
      // two: whatever ends a greeting is a refusal.
      isRefused = isGreeting
      if (isReported) return
      isReported = true
      options.log?.warn({ err: error, connection: options.name }, 'Lost Redis, trying again until it is back')
    })
    opened.on('connect', () => {
      isGreeting = true
    })
    opened.on('reconnecting', () => {
      isGreeting = false
    })
    opened.on('ready', () => {
      isGreeting = false
      isReported = false
      isRefused = false
      options.log?.info({ connection: options.name }, 'Connected to Redis')
      options.onReady?.(opened, isFirstReady ? 'new' : 'renewed')
      isFirstReady = false
    })
    // Resolves at the first connection and rejects only when the client is ended while it still tries.
    opened.connect().catch(() => {})
    return opened
  }

  /** A peer that vanished without a word (node lost, connection dropped by a firewall) is noticed by silence alone. */
  async function askForLife(): Promise<void> {
    const asked = client
    if (!asked.isReady) return
    const answered = await settlesWithin(asked.ping(), options.livenessMs)
    if (answered || isClosed || asked !== client) return
    options.log?.warn({ connection: options.name }, 'Redis does not answer, replacing the connection')
    client = open()
    asked.destroy()
  }

  return {
    current: () => client,
    isRefused: () => isRefused,
    async close(graceMs: number): Promise<void> {
      if (isClosed) return
      isClosed = true
      clearInterval(watchdog)
      if (client.isReady) await settlesWithin(client.close(), graceMs)
      client.destroy()
    },
  }
}

/** True: resolved in time. False: rejected, or not settled in time. */
async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([
      work.then(
        () => true,
        () => false,
      ),
      late,
    ])
  } finally {
    clearTimeout(timer)
  }
}
