import { createClient } from 'redis'
import type { BusLogger } from './message-bus.ts'

const maxReconnectMs = 2_000
const connectTimeoutMs = 5_000
const maxQueuedCommands = 10_000

/** Methods of the Redis client that the bus and the shared limits use. */
export type RedisConnection = Readonly<{
  isReady: boolean
  publish(channel: string, text: string): Promise<number>
  subscribe(channel: string, listener: (text: string) => void): Promise<void>
  /** Runs a script atomically. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}>

/** Connection to Redis that is opened again after each loss. The number of attempts is not limited. */
export interface RedisLink {
  /** Current connection. Its commands reject while the connection is down. */
  current(): RedisConnection
  isRefused(): boolean
  /** Closes the connection. Waits at most `graceMs` for the responses to pending commands. */
  close(graceMs: number): Promise<void>
}

export type RedisLinkOptions = Readonly<{
  url: string
  /** Name of the connection in the output of `CLIENT LIST`. */
  name: string
  /** Interval between pings, in ms. A response must arrive within the same time. Otherwise the connection is replaced. */
  livenessMs: number
  /**
   * Called each time Redis becomes usable. A `new` connection has no subscriptions. A `renewed` connection still has its earlier
   * subscriptions.
   */
  onReady?: (connection: RedisConnection, kind: 'new' | 'renewed') => void
  log?: BusLogger | undefined
}>

/**
 * Returns the delay before an attempt to reconnect, in ms. The delay doubles with each attempt, up to 2 s. Up to half
 * of the delay is random, so that replicas do not reconnect at the same time.
 */
export function reconnectDelayMs(attempt: number, random: number): number {
  const base = Math.min(50 * 2 ** Math.min(attempt, 10), maxReconnectMs)
  return Math.round(base * (0.5 + random / 2))
}

/**
 * Opens a connection to Redis in the background. Each time the connection is lost, opens a new connection.
 * @throws only if the address is not a Redis URL
 */
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
      commandsQueueMaxLength: maxQueuedCommands,
      socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: (attempt) => reconnectDelayMs(attempt, Math.random()) },
    })
    opened.on('error', (error: unknown) => {
      if (isClosed || opened !== client) return
      // Redis may refuse a client by an error, or by closing the connection before the first command. Therefore, count every error
      // between `connect` and `ready` as a refusal.
      isRefused = isConnecting
      if (isReported) return
      isReported = true
      options.log?.warn({ err: error, connection: options.name }, 'Lost Redis, reconnecting')
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
    // Ignore the promise. It resolves at the first connection, and rejects only if the client is closed before the first
    // connection.
    opened.connect().catch(() => {})
    return opened
  }

  /**
   * Replaces a connection that does not respond to pings. A connection may break without an error, for example because a node
   * crashed or a firewall dropped it.
   */
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
