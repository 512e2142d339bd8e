import type { RealtimeMessage } from '@capstan/contract/events'
import type { BusLogger, MessageListener } from './message-bus.ts'

/** Subscribers of one process. If a listener throws, the error is logged and the next listener is called. */
export class Listeners {
  readonly #listeners = new Set<{ readonly call: MessageListener }>()
  readonly #log: BusLogger | undefined

  constructor(log: BusLogger | undefined) {
    this.#log = log
  }

  add(listener: MessageListener): () => void {
    const entry = { call: listener }
    this.#listeners.add(entry)
    return () => {
      this.#listeners.delete(entry)
    }
  }

  deliver(message: RealtimeMessage): void {
    for (const listener of this.#listeners) {
      try {
        listener.call(message)
      } catch (error) {
        this.#log?.error({ err: error, kind: message.kind }, 'Failed to handle a realtime message')
      }
    }
  }

  clear(): void {
    this.#listeners.clear()
  }
}
