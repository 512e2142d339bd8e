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
  /** Runs a script. Redis runs no other command in between. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** One connection to Redis. It reconnects without end, whatever happens to the server or the network. */
export interface RedisLink {
  /** The present connection. It may be down, and its commands reject while it is. */
  current(): RedisConnection
  /** Whether the last attempt reached Redis and was refused by it. */
  isRefused(): boolean
  /** Closes the connection. Commands that wait for an answer have `graceMs` to receive it. */
  close(graceMs: number): Promise<void>
}

export interface RedisLinkOptions {
  readonly url: string
  /** Shown by `CLIENT LIST`. */
  readonly name: string
  /** How often the connection is pinged. It is replaced when no answer comes within the same time. */
  readonly livenessMs: number
  /** Called each time Redis becomes usable. A renewed connection has its subscriptions already, a new one has none yet. */
  readonly onReady?: (connection: RedisConnection, kind: 'new' | 'renewed') => void
  readonly log?: BusLogger | undefined
}

/** Grows from 50 ms to 2 s. Up to half of it is random, so that replicas do not reconnect at the same moment. */
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
  const watchdog = setInterval(() => void pingConnection(), options.livenessMs)
  watchdog.unref()

  function open() {
    let isFirstReady = true
    let isConnecting = false
    const opened = createClient({
      url: options.url,
      name: options.name,
      disableOfflineQueue: true,
      commandsQueueMaxLength: queuedCommandsMax,
      socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: (attempt) => reconnectDelayMs(attempt, Math.random()) },
    })
    opened.on('error', (error: unknown) => {
      if (isClosed || opened !== client) return
      // A refusal takes several forms: an error before the first command, or a closed connection whose error reply never arrived.
      // So every error between the connection and `ready` counts as a refusal.
      isRefused = isConnecting
      if (isReported) return
      isReported = true
      options.log?.warn({ err: error, connection: options.name }, 'Lost Redis, trying again until it is back')
    })
    opened.on('connect', () => {
      isConnecting = true
    })
    opened.on('reconnecting', () => {
      isConnecting = false
    })
    opened.on('ready', () => {
      isConnecting = false
      isReported = false
      isRefused = false
      options.log?.info({ connection: options.name }, 'Connected to Redis')
      options.onReady?.(opened, isFirstReady ? 'new' : 'renewed')
      isFirstReady = false
    })
    // Resolves at the first connection. Rejects only when the client is closed before that.
    opened.connect().catch(() => {})
    return opened
  }

  /** A peer that is gone without closing (node lost, connection dropped by a firewall) is noticed only because it does not answer. */
  async function pingConnection(): Promise<void> {
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
