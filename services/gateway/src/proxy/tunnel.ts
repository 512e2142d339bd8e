import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Guard } from '@capstan/http/guard'
import type { GatewayLogger } from '../log.ts'
import { binaryFrames, ClientFrameReader, closeFrame, pingFrame, pongFrame, protocolErrorFrame } from './frames.ts'

export interface TunnelTimings {
  /** Time for the other side to agree to the end: the client to our Close, the container to our FIN. */
  readonly closeMs: number
  /** The same of the client where the tunnel is ended from our side: its instance is gone, and within a second so is the connection. */
  readonly endMs: number
  /** After the client's Close the container may go on sending, until it has sent nothing for this long. */
  readonly lingerMs: number
}

export interface TunnelOptions {
  /** The client's socket after the upgrade. It carries only WebSocket frames. */
  readonly client: Duplex
  /** What the client sent together with its request. */
  readonly head: Buffer
  /** Connected, with `allowHalfOpen`. */
  readonly container: Socket
  readonly timings: TunnelTimings
  /** Called with the number of bytes whenever some are passed on. */
  readonly onBytes: (direction: 'sent' | 'received', count: number) => void
  /** Both sides are gone. Called once. */
  readonly onEnd: () => void
  readonly log: GatewayLogger
}

/**
 * Carries bytes between a WebSocket and a TCP connection until both are closed.
 *
 * Back-pressure: one side is not read while the other side's write buffer is full, so each direction holds at most one read buffer
 * and one write buffer. How a tunnel ends:
 * - The container closes its direction. Everything it sent is delivered, then the client gets a Close without a status code. What
 *   the client sends before it answers the Close still goes to the container.
 * - The client closes. The container gets the remaining bytes and a FIN, and may finish its answer. Then the client's Close is
 *   answered.
 * - A connection breaks. The other side is ended in the same way, without waiting for the broken one.
 */
export class Tunnel {
  readonly #client: Duplex
  readonly #container: Socket
  readonly #options: TunnelOptions
  readonly #reader: ClientFrameReader
  /** What the newest ping is answered with that came while the client took nothing. */
  #owedPong: Buffer | undefined
  #isCloseSent = false
  #isCloseReceived = false
  #closeTimer: NodeJS.Timeout | undefined
  #lingerTimer: NodeJS.Timeout | undefined
  #openSides = 2

  constructor(options: TunnelOptions) {
    this.#options = options
    this.#client = options.client
    this.#container = options.container
    this.#reader = new ClientFrameReader({
      data: (bytes) => this.#toContainer(bytes),
      ping: (payload) => this.#answerPing(payload),
      close: () => this.#clientCloses(),
      violation: () => this.#clientViolates(),
    })
    this.#listen()
    if (options.head.length > 0) this.#fromClient(options.head)
  }

  /** Keeps proxies in between from closing a connection without traffic. */
  ping(): void {
    if (!this.#isCloseReceived) this.#toClient(pingFrame)
  }

  /** Ends the tunnel from our side: longest time reached, instance ended, or shutdown. A client that does not read is disconnected. */
  end(): void {
    this.#container.destroy()
    this.#sendClose(closeFrame)
    // It may have been given more already, after the end of the container.
    clearTimeout(this.#closeTimer)
    this.#closeTimer = undefined
    this.#allowTimeToClose(this.#options.timings.endMs)
  }

  #listen(): void {
    const [client, container] = [this.#client, this.#container]
    const guard = new Guard(this.#options.log, client, container)
    guard.on(client, 'data', (bytes: Buffer) => this.#fromClient(bytes))
    guard.on(client, 'drain', () => {
      if (this.#owedPong) this.#toClient(this.#owedPong)
      this.#owedPong = undefined
      container.resume()
    })
    guard.on(client, 'end', () => this.#clientBreaksOff())
    guard.once(client, 'close', () => {
      this.#clientBreaksOff()
      this.#sideClosed()
    })
    guard.on(container, 'data', (bytes: Buffer) => this.#fromContainer(bytes))
    guard.on(container, 'drain', () => client.resume())
    guard.on(container, 'end', () => this.#sendClose(closeFrame))
    guard.once(container, 'close', () => {
      this.#sendClose(closeFrame)
      // The container takes nothing any more. The client is read all the same, so that its Close is seen.
      client.resume()
      this.#sideClosed()
    })
  }

  #fromClient(bytes: Buffer): void {
    this.#container.cork()
    this.#reader.read(bytes)
    this.#container.uncork()
    if (this.#container.writableNeedDrain && !this.#isCloseReceived) this.#client.pause()
  }

  #toContainer(bytes: Buffer): void {
    if (!this.#container.writable) return
    this.#options.onBytes('sent', bytes.length)
    this.#container.write(bytes)
  }

  #fromContainer(bytes: Buffer): void {
    if (this.#isCloseSent || !this.#client.writable) return
    this.#options.onBytes('received', bytes.length)
    if (!this.#client.write(binaryFrames(bytes))) this.#container.pause()
    this.#lingerTimer?.refresh()
  }

  #toClient(frame: Buffer): void {
    if (!this.#isCloseSent && this.#client.writable) this.#client.write(frame)
  }

  /** Of several pings the newest needs an answer (RFC 6455, section 5.5.3): a client that reads none is owed one, not all. */
  #answerPing(payload: Buffer): void {
    const pong = pongFrame(payload)
    if (this.#client.writableNeedDrain) this.#owedPong = pong
    else this.#toClient(pong)
  }

  #clientCloses(): void {
    this.#isCloseReceived = true
    this.#endContainer()
    if (this.#isCloseSent) {
      this.#client.end()
      return
    }
    if (this.#container.destroyed) this.#sendClose(closeFrame)
    else this.#lingerTimer = setTimeout(() => this.end(), this.#options.timings.lingerMs)
  }

  #clientViolates(): void {
    this.#endContainer()
    this.#isCloseReceived = true
    this.#sendClose(protocolErrorFrame)
  }

  /** The client's connection ended, with or without a Close before. */
  #clientBreaksOff(): void {
    if (!this.#isCloseReceived) this.#endContainer()
    this.#isCloseReceived = true
    this.#isCloseSent = true
    this.#client.destroy()
    // What the container still sends is dropped.
    this.#container.resume()
  }

  /** FIN after what was written; the container has `closeMs` to take it and to agree. */
  #endContainer(): void {
    const container = this.#container
    if (container.destroyed) return
    container.end()
    const timer = setTimeout(() => container.destroy(), this.#options.timings.closeMs)
    new Guard(this.#options.log, container).once(container, 'close', () => clearTimeout(timer))
  }

  #sendClose(frame: Buffer): void {
    clearTimeout(this.#lingerTimer)
    if (this.#isCloseSent) return
    this.#isCloseSent = true
    if (!this.#client.writable) return
    // The time starts when the client has read everything before the Close.
    this.#client.write(frame, () => this.#allowTimeToClose(this.#options.timings.closeMs))
    if (this.#isCloseReceived) this.#client.end()
  }

  #allowTimeToClose(ms: number): void {
    if (this.#client.destroyed) return
    this.#closeTimer ??= setTimeout(() => this.#client.destroy(), ms)
  }

  #sideClosed(): void {
    this.#openSides -= 1
    if (this.#openSides > 0) return
    clearTimeout(this.#closeTimer)
    clearTimeout(this.#lingerTimer)
    this.#options.onEnd()
  }
}
