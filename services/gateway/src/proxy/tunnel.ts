import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Guard } from '@capstan/http/guard'
import { joinSmallPieces } from '@capstan/http/join-pieces'
import type { GatewayLogger } from '../log.ts'
import { ClientFrameReader, closeFrame, encodeBinaryFrames, encodePongFrame, pingFrame, protocolErrorFrame } from './frames.ts'

export type TunnelTimings = Readonly<{
  /**
   * Maximum time for the other side to confirm the end of a tunnel, in ms. The client confirms our close frame, and the container
   * confirms our FIN.
   */
  closeMs: number
  /**
   * Maximum time for the client to confirm our close frame if the gateway ends the tunnel, in ms. This time is short,
   * because a connection must end within a second after its instance ended.
   */
  endMs: number
  /**
   * Time without data after which a container counts as finished, in ms. This time applies only after the client has
   * sent a close frame.
   */
  lingerMs: number
}>

export type TunnelOptions = Readonly<{
  client: Duplex
  /** Bytes that the client sent together with its request. */
  head: Buffer
  container: Socket
  timings: TunnelTimings
  onBytes: (direction: 'sent' | 'received', count: number) => void
  onEnd: () => void
  log: GatewayLogger
}>

/**
 * Carries bytes between a WebSocket and a TCP connection until both are closed. Back-pressure: one side is not read while
 * data waits in the other side's buffer, so each direction buffers at most one read and one write. A tunnel ends in one of these
 * ways:
 * - The container closes its direction. The client gets the remaining bytes and then a close frame without a status code. Data
 * that the client sends before it confirms is still forwarded.
 * - The client sends a close frame. The container gets the remaining bytes and a FIN, and may finish sending. Then the client's
 * close frame is answered.
 * - One connection breaks. The other connection is closed in the same way, without waiting for the broken one.
 */
export class Tunnel {
  readonly #client: Duplex
  readonly #container: Socket
  readonly #options: TunnelOptions
  readonly #reader: ClientFrameReader
  /** Pong for the newest ping that arrived while the client did not read. */
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

  /** Sends a ping, so that proxies between client and gateway do not close an idle connection. */
  ping(): void {
    if (!this.#isCloseReceived) this.#toClient(pingFrame)
  }

  /**
   * Ends the tunnel from our side, after its maximum duration, the end of its instance, or a shutdown. A client that does not
   * read is disconnected.
   */
  end(): void {
    this.#container.destroy()
    this.#sendClose(closeFrame)
    // Replace the longer timer, which already runs if the container closed first.
    clearTimeout(this.#closeTimer)
    this.#closeTimer = undefined
    this.#allowTimeToClose(this.#options.timings.endMs)
  }

  readonly #whenContainerWrote = (): void => {
    if (this.#container.writableLength === 0) this.#client.resume()
  }

  readonly #whenClientWrote = (): void => {
    if (this.#client.writableLength > 0) return
    const pong = this.#owedPong
    this.#owedPong = undefined
    if (pong) this.#toClient(pong)
    this.#container.resume()
  }

  #listen(): void {
    const [client, container] = [this.#client, this.#container]
    joinSmallPieces(container)
    const guard = new Guard(this.#options.log, client, container)
    guard.on(client, 'data', (bytes: Buffer) => this.#fromClient(bytes))
    guard.on(client, 'end', () => this.#clientBreaksOff())
    guard.once(client, 'close', () => {
      this.#clientBreaksOff()
      this.#sideClosed()
    })
    guard.on(container, 'data', (bytes: Buffer) => this.#fromContainer(bytes))
    guard.on(container, 'end', () => this.#sendClose(closeFrame))
    guard.once(container, 'close', () => {
      this.#sendClose(closeFrame)
      // The container accepts no more data. Continue to read from the client, so that its close frame arrives.
      client.resume()
      this.#sideClosed()
    })
  }

  #fromClient(bytes: Buffer): void {
    this.#reader.read(bytes)
    const mustWait = this.#container.writable && this.#container.writableLength > 0
    if (mustWait && !this.#isCloseReceived) this.#client.pause()
  }

  #toContainer(bytes: Buffer): void {
    if (!this.#container.writable) return
    this.#options.onBytes('sent', bytes.length)
    this.#container.write(bytes, this.#whenContainerWrote)
  }

  #fromContainer(bytes: Buffer): void {
    if (this.#isCloseSent || !this.#client.writable) return
    this.#options.onBytes('received', bytes.length)
    this.#toClient(encodeBinaryFrames(bytes))
    if (this.#client.writableLength > 0) this.#container.pause()
    this.#lingerTimer?.refresh()
  }

  #toClient(frame: Buffer): void {
    if (!this.#isCloseSent && this.#client.writable) this.#client.write(frame, this.#whenClientWrote)
  }

  /**
   * Answers a ping. Only the newest ping needs a pong (RFC 6455, section 5.5.3), so at most one pong is pending if the client
   * does not read.
   */
  #answerPing(payload: Buffer): void {
    const pong = encodePongFrame(payload)
    if (this.#client.writableLength > 0) this.#owedPong = pong
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

  /** Handles the end of the client's connection, whether or not the client sent a close frame before. */
  #clientBreaksOff(): void {
    if (!this.#isCloseReceived) this.#endContainer()
    this.#isCloseReceived = true
    this.#isCloseSent = true
    this.#client.destroy()
    this.#container.resume()
  }

  /**
   * Sends a FIN to the container after the data that was written before. The container has `closeMs` to read the data and to
   * confirm the FIN.
   */
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
    // Read and drop further data of the container.
    this.#container.resume()
    if (!this.#client.writable) return
    // Start the timer only after all data before the close frame has been written to the client.
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
