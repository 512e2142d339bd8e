import type { EventEmitter } from 'node:events'

/** Where failed listeners are reported. */
export interface FailureLog {
  error(fields: object, text: string): void
}

interface Destroyable {
  destroy(): unknown
}

type Listener = (...args: never[]) => unknown

const isDestroyable = (value: unknown): value is Destroyable =>
  typeof value === 'object' && value !== null && 'destroy' in value && typeof value.destroy === 'function'

/**
 * The one way to listen to requests, responses, sockets and streams. A listener that throws, or whose promise rejects, ends its own
 * exchange: the parts of the guard, and everything destroyable that the event passed. Without a guard it would end the process.
 */
export class Guard {
  readonly #log: FailureLog | undefined
  readonly #parts: readonly Destroyable[]

  /** @param parts of the exchange */
  constructor(log: FailureLog | undefined, ...parts: readonly Destroyable[]) {
    this.#log = log
    this.#parts = parts
  }

  /** `emitter.off(event, listener)` removes the listener. */
  on(emitter: EventEmitter, event: string, listener: Listener): void {
    const guarded = (...args: unknown[]): void => this.#call(listener, args)
    emitter.on(event, Object.assign(guarded, { listener }))
  }

  /** Like `on`, for the first event only. */
  once(emitter: EventEmitter, event: string, listener: Listener): void {
    emitter.on(event, this.#first(emitter, event, listener))
  }

  /** Like `once`, ahead of the listeners that the emitter already has. */
  prependOnce(emitter: EventEmitter, event: string, listener: Listener): void {
    emitter.prependListener(event, this.#first(emitter, event, listener))
  }

  /** Runs what a timer or a promise started. */
  run(act: () => unknown): void {
    this.#call(act, [])
  }

  /** Returns a guarded listener that removes itself. `emitter.off` finds it by `listener`, which Node's own `once` would hide. */
  #first(emitter: EventEmitter, event: string, listener: Listener): (...args: unknown[]) => void {
    const guarded = (...args: unknown[]): void => {
      emitter.off(event, guarded)
      this.#call(listener, args)
    }
    return Object.assign(guarded, { listener })
  }

  #call(listener: Listener, args: readonly unknown[]): void {
    try {
      const result: unknown = Reflect.apply(listener, undefined, args)
      if (result instanceof Promise) result.catch((error: unknown) => this.#fail(error, args))
    } catch (error) {
      this.#fail(error, args)
    }
  }

  #fail(error: unknown, args: readonly unknown[]): void {
    this.#log?.error({ err: error }, 'A listener failed, so its exchange was ended')
    for (const part of [...this.#parts, ...args]) {
      try {
        if (isDestroyable(part)) part.destroy()
      } catch (cause) {
        this.#log?.error({ err: cause }, 'A part of a failed exchange could not be ended')
      }
    }
  }
}

const ignore = (): void => {}

/** Adds the `error` listener that stays for the life of a socket. `close` follows every error, and nothing else is needed. */
export const surviveErrors = (socket: EventEmitter): void => {
  socket.on('error', ignore)
}
