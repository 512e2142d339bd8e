import type { EventEmitter } from 'node:events'

export interface FailureLog {
  error(fields: object, text: string): void
}

interface Destroyable {
  destroy(): unknown
}

type Listener = (...args: never[]) => unknown

function isDestroyable(value: unknown): value is Destroyable {
  return typeof value === 'object' && value !== null && 'destroy' in value && typeof value.destroy === 'function'
}

/**
 * Registers listeners on the parts of an exchange: requests, responses, sockets and streams. If a listener throws or
 * its promise rejects, the guard destroys all parts of the exchange and all destroyable arguments of the event.
 * Without the guard, such an error would end the process.
 */
export class Guard {
  readonly #log: FailureLog | undefined
  readonly #parts: readonly Destroyable[]

  /** @param parts parts of the exchange, such as request, response and sockets */
  constructor(log: FailureLog | undefined, ...parts: readonly Destroyable[]) {
    this.#log = log
    this.#parts = parts
  }

  /** Adds a listener. `emitter.off(event, listener)` removes it. */
  on(emitter: EventEmitter, event: string, listener: Listener): void {
    const guarded = (...args: unknown[]): void => this.#call(listener, args)
    guarded.listener = listener
    emitter.on(event, guarded)
  }

  /** Registers a listener for the first event only. */
  once(emitter: EventEmitter, event: string, listener: Listener): void {
    emitter.on(event, this.#first(emitter, event, listener))
  }

  /** Adds a listener like `once`, but before existing listeners. */
  prependOnce(emitter: EventEmitter, event: string, listener: Listener): void {
    emitter.prependListener(event, this.#first(emitter, event, listener))
  }

  /** Runs code of a timer or a promise, and ends the exchange if the code fails. */
  run(act: () => unknown): void {
    this.#call(act, [])
  }

  /**
   * Returns a guarded listener that removes itself after the first event. `emitter.off` with the original listener
   * finds and removes the guarded listener. Node's `once` would wrap the guarded listener again, so `emitter.off` would
   * not find it.
   */
  #first(emitter: EventEmitter, event: string, listener: Listener): (...args: unknown[]) => void {
    const guarded = (...args: unknown[]): void => {
      emitter.off(event, guarded)
      this.#call(listener, args)
    }
    guarded.listener = listener
    return guarded
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

function ignore(): void {}

/** Ignores all errors of a socket. `close` follows every error, so no other handling is needed. */
export function ignoreSocketErrors(socket: EventEmitter): void {
  socket.on('error', ignore)
}
