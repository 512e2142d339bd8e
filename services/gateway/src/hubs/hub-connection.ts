import type { Duplex } from 'node:stream'
import { Guard, ignoreSocketErrors } from '@capstan/http/guard'
import type { RawData, WebSocket } from 'ws'
import type { GatewayLogger } from '../log.ts'
import { ClientTraffic } from './client-traffic.ts'
import {
  encodeCloseMessage,
  encodeFailedCompletion,
  encodeHandshakeError,
  findHandshakeFault,
  handshakeAccepted,
  MessageSplitter,
  parseClientMessage,
  pingMessage,
} from './protocol.ts'

/**
 * Time limits, see docs/contract/live-hubs.md#times-and-sizes. Clients are checked every `sweepMs`, so a limit may take effect up
 * to `sweepMs` late.
 */
export type HubTimings = Readonly<{
  handshakeMs: number
  /** Time since the last message to the client after which a ping is sent, in ms. */
  pingMs: number
  /** Time since the last message from the client after which the client is dropped, in ms. */
  silenceMs: number
  sweepMs: number
}>

export type HubConnectionEvents = Readonly<{
  handshake: (connection: HubConnection) => void
  /** Runs after the response to a hub call was sent. The hub then drops the client if the client reads too slowly. */
  answered: (connection: HubConnection) => void
  /** Called when the client was dropped because it sent too much. */
  flooded: (connection: HubConnection) => void
  /** Called exactly once, when the socket is closed. */
  closed: (connection: HubConnection) => void
}>

type State = 'handshake' | 'deciding' | 'open' | 'closing'

/** Connection of one hub client, with its handshake, pings, limits and closing. Other modules manage rooms and roles. */
export class HubConnection {
  readonly #webSocket: WebSocket
  /** Underlying socket. A frame for several clients is written directly to this socket, between the frames that `ws` writes. */
  readonly #socket: Duplex
  readonly #events: HubConnectionEvents
  readonly #now: () => number
  readonly #splitter = new MessageSplitter()
  readonly #traffic: ClientTraffic
  #state: State = 'handshake'
  #isDropped = false
  /** Messages that arrived in the same frame as the handshake. `open` processes these messages. */
  #early: string[] = []
  readonly #openedAt: number
  #receivedAt: number
  #sentAt: number

  constructor(webSocket: WebSocket, socket: Duplex, events: HubConnectionEvents, now: () => number, log: GatewayLogger) {
    this.#webSocket = webSocket
    this.#socket = socket
    this.#events = events
    this.#now = now
    this.#traffic = new ClientTraffic(now)
    this.#openedAt = now()
    this.#receivedAt = this.#openedAt
    this.#sentAt = this.#openedAt
    // `ws` emits `close` after each error of its socket, so errors need no other handling.
    ignoreSocketErrors(webSocket)
    const guard = new Guard(log, socket)
    guard.on(webSocket, 'message', (data: RawData) => this.#receive(data))
    guard.on(webSocket, 'ping', () => this.#receiveControlFrame())
    guard.on(webSocket, 'pong', () => this.#receiveControlFrame())
    // Count bytes of the socket, because `ws` reports neither fragments nor the data that arrives while a connection is closing.
    guard.on(socket, 'data', (bytes: Buffer) => this.#limit(this.#traffic.addBytes(bytes.length)))
    guard.once(webSocket, 'close', () => {
      this.#state = 'closing'
      events.closed(this)
    })
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Accepts the handshake, and begins to read the client's further data. */
  open(): void {
    if (this.#state !== 'deciding') return
    this.#state = 'open'
    this.#send(handshakeAccepted)
    this.#webSocket.resume()
    this.#take(this.#early.splice(0))
  }

  get waitingBytes(): number {
    return this.#socket.writableLength
  }

  /** Writes a prepared frame, which may be sent to many clients. Call this only while `isOpen` is true. */
  writeFrame(frame: Buffer, now: number): void {
    this.#sentAt = now
    this.#socket.write(frame)
  }

  /**
   * Closes the connection with a reason. `allowReconnect` asks the client to reconnect, which is possible only after the
   * handshake.
   */
  close(reason: Readonly<{ error?: string; allowReconnect?: boolean }>): void {
    if (this.#state === 'closing') return
    if (this.#state === 'open') this.#finish(encodeCloseMessage(reason))
    else if (reason.allowReconnect === true) this.drop()
    else this.#finish(encodeHandshakeError(reason.error ?? 'The connection is closed'))
  }

  /** Ends the connection and sends no message, because the client would not receive it. */
  drop(): void {
    this.#state = 'closing'
    this.#isDropped = true
    this.#webSocket.terminate()
  }

  /** Enforces the time limits. Called every `sweepMs`. */
  tick(now: number, timings: HubTimings): void {
    if (this.#state === 'closing') return
    if (this.#state !== 'open') {
      if (now - this.#openedAt >= timings.handshakeMs) this.#finish(encodeHandshakeError('The handshake took too long'))
      return
    }
    if (now - this.#receivedAt >= timings.silenceMs) this.drop()
    else if (now - this.#sentAt >= timings.pingMs) this.#send(pingMessage)
  }

  #noteActivity(): void {
    this.#receivedAt = this.#now()
  }

  /** Drops the client if it sent too much. */
  #limit(isWithinLimits: boolean): void {
    if (isWithinLimits || this.#isDropped) return
    this.drop()
    this.#events.flooded(this)
  }

  #receiveControlFrame(): void {
    this.#noteActivity()
    this.#limit(this.#traffic.addMessages(1))
  }

  #receive(data: RawData): void {
    if (this.#state === 'closing') return
    this.#noteActivity()
    this.#traffic.finishFrame()
    const messages = this.#splitter.split(toBuffer(data))
    this.#limit(this.#traffic.addMessages(Math.max(1, messages?.length ?? 0)))
    if (messages === undefined) {
      this.close({ error: 'A message is too large' })
      return
    }
    this.#take(messages)
  }

  #take(messages: readonly string[]): void {
    for (const message of messages) {
      if (this.#state === 'closing') return
      if (this.#state === 'handshake') this.#shakeHands(message)
      else if (this.#state === 'deciding') this.#early.push(message)
      else this.#answer(message)
    }
  }

  #shakeHands(message: string): void {
    const refusal = findHandshakeFault(message)
    if (refusal !== undefined) {
      this.#finish(encodeHandshakeError(refusal))
      return
    }
    this.#state = 'deciding'
    this.#webSocket.pause()
    this.#events.handshake(this)
  }

  #answer(text: string): void {
    const message = parseClientMessage(text)
    if (message.kind === 'call') {
      this.#send(encodeFailedCompletion(message.invocationId))
      this.#events.answered(this)
    } else if (message.kind === 'close') this.#finish(encodeCloseMessage({}))
    else if (message.kind === 'invalid') this.close({ error: 'A message is not valid' })
  }

  #send(text: string): void {
    this.#sentAt = this.#now()
    this.#webSocket.send(text)
  }

  #finish(lastMessage: string): void {
    this.#state = 'closing'
    this.#webSocket.send(lastMessage)
    this.#webSocket.close(1000)
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}
