import type { RealtimeMessage } from '@capstan/contract/events'
import { ErrorReply } from 'redis'
import { Listeners } from './listeners.ts'
import type { BusHealth, BusLogger, BusState, MessageBus, MessageListener } from './message-bus.ts'
import { createRedisLink, type RedisConnection } from './redis-link.ts'
import { parseRealtimeMessage } from './wire.ts'

const closeGraceMs = 2_000

export type RedisBusOptions = Readonly<{
  /** Redis URL (`redis://` or `rediss://`), with user and password if needed. */
  url: string
  /** Channel for all messages of the platform. Platforms that share one Redis need different channels. */
  channel?: string
  /** Maximum time until Redis responds to a ping, in ms. If a response is later, the connection is replaced. */
  livenessMs?: number
  log?: BusLogger
}>

/**
 * Creates a bus that sends messages between processes by the commands PUBLISH and SUBSCRIBE of Redis. The bus connects
 * to Redis in the background. While Redis is unreachable, messages reach only listeners in the publishing process, and
 * other clients refetch later.
 * @throws only if the address is not a Redis URL
 */
export function createRedisBus(options: RedisBusOptions): MessageBus {
  const { log, channel = 'capstan:events', livenessMs = 10_000 } = options
  const listeners = new Listeners(log)
  const counts = { received: 0, published: 0, lost: 0, interruptions: 0 }
  let isClosed = false
  /**
   * Connection whose subscription Redis has acknowledged. If the connection is lost, the Redis client reconnects and
   * renews the subscription.
   */
  let subscribedOn: RedisConnection | undefined
  /** True if Redis accepts the connection but forbids it to subscribe or publish. */
  let isSubscribeRefused = false
  let isPublishRefused = false

  const publisher = createRedisLink({ url: options.url, name: 'capstan-publisher', livenessMs, log })
  const subscriber = createRedisLink({
    url: options.url,
    name: 'capstan-subscriber',
    livenessMs,
    log,
    onReady: (connection, kind) => {
      if (kind === 'renewed') counts.interruptions += 1
      else void subscribeOn(connection)
    },
  })

  async function subscribeOn(connection: RedisConnection): Promise<void> {
    try {
      await connection.subscribe(channel, receive)
      if (subscribedOn !== undefined) counts.interruptions += 1
      subscribedOn = connection
      isSubscribeRefused = false
    } catch (error) {
      if (isClosed || connection !== subscriber.current()) return
      isSubscribeRefused = error instanceof ErrorReply
      log?.error({ err: error, channel }, 'Failed to subscribe, retrying')
      setTimeout(() => void subscribeOn(connection), livenessMs).unref()
    }
  }

  function receive(text: string): void {
    const message = parseRealtimeMessage(text)
    if (message === undefined) {
      counts.lost += 1
      log?.error({ channel, length: text.length }, 'Received an unreadable realtime message')
      return
    }
    deliver(message)
  }

  function deliver(message: RealtimeMessage): void {
    counts.received += 1
    listeners.deliver(message)
  }

  async function send(message: RealtimeMessage): Promise<void> {
    try {
      await publisher.current().publish(channel, JSON.stringify(message))
      counts.published += 1
      isPublishRefused = false
    } catch (error) {
      isPublishRefused = error instanceof ErrorReply
      counts.lost += 1
      log?.warn({ err: error, kind: message.kind }, 'Lost a realtime message')
    }
  }

  function state(): BusState {
    if (isClosed) return 'closed'
    const listening = subscriber.current()
    if (!isPublishRefused && publisher.current().isReady && listening.isReady && subscribedOn === listening) return 'up'
    return publisher.isRefused() || subscriber.isRefused() || isSubscribeRefused || isPublishRefused ? 'refused' : 'connecting'
  }

  return {
    publish(message: RealtimeMessage): void {
      if (isClosed) return
      if (publisher.current().isReady) {
        void send(message)
        return
      }
      // Redis is unreachable, so no other process can receive the message. Deliver the message to the listeners of this
      // process.
      counts.lost += 1
      setImmediate(deliver, message)
    },
    subscribe(listener: MessageListener): () => void {
      return isClosed ? () => {} : listeners.add(listener)
    },
    health: (): BusHealth => ({ state: state(), ...counts }),
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      await publisher.close(closeGraceMs)
      await subscriber.close(0)
      listeners.clear()
    },
  }
}
