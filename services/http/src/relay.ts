import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type FailureLog, Guard } from './guard.ts'
import { joinSmallPieces } from './join-pieces.ts'

export type RelayTimings = Readonly<{
  /**
   * Maximum time, in ms, for which one connection may remain open after the other connection was closed. In this time,
   * the side that is still connected must read the remaining data.
   */
  closeMs: number
  /** Maximum time for which one side may leave data unread, in ms. */
  stalledMs: number
}>

export type RelayOptions = Readonly<{
  /** Socket of the client. Like the socket of the container, it has `allowHalfOpen`. */
  client: Duplex
  /** Bytes that the client has already sent. */
  head?: Buffer
  /** Connection to the container, or to a process that connects to it. */
  container: Socket
  timings: RelayTimings
  /** True if a side may leave data unread for any time while the other side is open. `stalledMs` then applies only afterwards. */
  mayStall?: boolean
  /** Called if one side left its data unread for too long. */
  onStalled: () => void
  /** Called with the number of forwarded bytes. `sent` means that the client sent them. */
  onBytes: (direction: 'sent' | 'received', count: number) => void
  /** Called once, after both sides are closed. */
  onEnd: () => void
  log: FailureLog | undefined
}>

/**
 * Carries bytes between two connections until both are closed. Each side may close its sending direction and continue to read.
 * One side is not read while data waits in the other side's buffer. Otherwise this buffer would fill with small pieces, which take
 * about 500 bytes of memory each. The caller calls `joinSmallPieces` for the client.
 */
export class Relay {
  readonly #options: RelayOptions
  #openSides = 2

  constructor(options: RelayOptions) {
    this.#options = options
    const { client, container, head, onBytes } = options
    joinSmallPieces(container)
    this.#carry(client, container, (count) => onBytes('sent', count))
    this.#carry(container, client, (count) => onBytes('received', count))
    if (head && head.length > 0) {
      onBytes('sent', head.length)
      container.write(head)
    }
  }

  end(): void {
    this.#options.client.destroy()
    this.#options.container.destroy()
  }

  #carry(from: Duplex, to: Duplex, count: (bytes: number) => void): void {
    const { timings, mayStall = false, onStalled, log } = this.#options
    const guard = new Guard(log, from, to)
    let stalled: NodeJS.Timeout | undefined
    let closing: NodeJS.Timeout | undefined
    const mustTake = () => {
      stalled ??= setTimeout(() => {
        onStalled()
        this.end()
      }, timings.stalledMs)
    }
    const hasTaken = () => {
      clearTimeout(stalled)
      stalled = undefined
    }
    const whenWritten = (error?: Error | null) => {
      if (error || to.writableLength > 0) return
      hasTaken()
      from.resume()
    }
    guard.on(from, 'data', (bytes: Buffer) => {
      if (!to.writable) return
      count(bytes.length)
      to.write(bytes, whenWritten)
      if (to.writableLength === 0) return
      from.pause()
      if (!mayStall) mustTake()
    })
    guard.on(from, 'end', () => to.end())
    guard.once(from, 'close', () => {
      // End the destination if the source's connection failed before the source closed its sending direction.
      if (!to.writableEnded) to.end()
      // Read and drop further data of the destination. Node reports the end of the destination's connection only after all data was
      // read.
      to.resume()
      const mustClose = () => {
        hasTaken()
        if (!to.destroyed) closing = setTimeout(() => to.destroy(), timings.closeMs)
      }
      if (to.writableFinished) mustClose()
      else if (!to.destroyed) {
        guard.once(to, 'finish', mustClose)
        mustTake()
      }
      this.#openSides -= 1
      if (this.#openSides === 0) this.#options.onEnd()
    })
    guard.once(to, 'close', () => {
      hasTaken()
      clearTimeout(closing)
    })
    // Resume the source, because the caller may pass a paused socket.
    from.resume()
  }
}
