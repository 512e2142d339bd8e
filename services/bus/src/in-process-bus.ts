import type { RealtimeMessage } from '@capstan/contract/events'
import { Listeners } from './listeners.ts'
import type { BusHealth, BusLogger, MessageBus, MessageListener } from './message-bus.ts'

/**
 * Creates the bus of a single process, for use if `REDIS_URL` is not set. Messages are delivered in a later turn of the event
 * loop, as with Redis, so that a publisher never waits for a listener.
 */
export function createInProcessBus(options: { readonly log?: BusLogger } = {}): MessageBus {
  const listeners = new Listeners(options.log)
  const waiting: RealtimeMessage[] = []
  let published = 0
  let received = 0
  let isClosed = false

  function deliverNext(): void {
    const message = waiting.shift()
    if (message === undefined) return
    received += 1
    listeners.deliver(message)
  }

  return {
    publish(message: RealtimeMessage): void {
      if (isClosed) return
      published += 1
      waiting.push(message)
      setImmediate(deliverNext)
    },
    subscribe(listener: MessageListener): () => void {
      return isClosed ? () => {} : listeners.add(listener)
    },
    health: (): BusHealth => ({ state: isClosed ? 'closed' : 'up', received, published, lost: 0, interruptions: 0 }),
    async close(): Promise<void> {
      isClosed = true
      while (waiting.length > 0) deliverNext()
      listeners.clear()
    },
  }
}
