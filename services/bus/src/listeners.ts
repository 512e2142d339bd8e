import type { RealtimeMessage } from '@capstan/contract/events'
import type { BusLogger, MessageListener } from './message-bus.ts'

/** The subscribers of one process. A listener that throws is logged and the next one is called all the same. */
export class Listeners {
  readonly #listeners = new Set<{ readonly call: MessageListener }>()
  readonly #log: BusLogger | undefined

  constructor(log: BusLogger | undefined) {
    this.#log = log
  }

  /** The same function may be added twice; each addition ends by its own returned function. */
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
