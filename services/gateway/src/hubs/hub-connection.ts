import type { Duplex } from 'node:stream'
import { Guard, surviveErrors } from '@capstan/http/guard'
import type { RawData, WebSocket } from 'ws'
import type { GatewayLogger } from '../log.ts'
import {
  closeMessage,
  failedCompletion,
  handshakeAccepted,
  handshakeRefused,
  MessageSplitter,
  pingMessage,
  readClientMessage,
  refuseHandshake,
} from './protocol.ts'

/**
 * Rules: docs/contract/live-hubs.md#times-and-sizes. A client is looked at once per `sweepMs`, so each limit is met within that
 * much.
 */
export interface HubTimings {
  readonly handshakeMs: number
  /** Silence of ours after which a ping goes out. */
  readonly pingMs: number
  /** Silence of the client after which it is dropped. */
  readonly silenceMs: number
  readonly sweepMs: number
}

export interface HubConnectionEvents {
  /** The client's handshake is good and waits for `open` or `close`. Called once at most. */
  readonly handshake: (connection: HubConnection) => void
  /** A call was answered: the client may leave that untaken. */
  readonly answered: (connection: HubConnection) => void
  /** The socket is gone. Called once, always. */
  readonly gone: (connection: HubConnection) => void
}

type State = 'handshake' | 'deciding' | 'open' | 'closing'

/** One client of a hub: handshake, ping, limits and closing. Knows nothing of rooms and roles. */
export class HubConnection {
  readonly #webSocket: WebSocket
  /** The socket below: prepared frames are written to it directly, between those that `ws` writes. */
  readonly #socket: Duplex
  readonly #events: HubConnectionEvents
  readonly #now: () => number
  readonly #splitter = new MessageSplitter()
  #state: State = 'handshake'
  /** What came in one frame with the handshake, until `open`. */
  #early: string[] = []
  readonly #openedAt: number
  #receivedAt: number
  #sentAt: number

  constructor(webSocket: WebSocket, socket: Duplex, events: HubConnectionEvents, now: () => number, log: GatewayLogger) {
    this.#webSocket = webSocket
    this.#socket = socket
    this.#events = events
    this.#now = now
    this.#openedAt = now()
    this.#receivedAt = this.#openedAt
    this.#sentAt = this.#openedAt
    // `ws` passes every error of its socket on, and `close` follows.
    surviveErrors(webSocket)
    const guard = new Guard(log, socket)
    guard.on(webSocket, 'message', (data: RawData) => this.#receive(data))
    guard.on(webSocket, 'ping', () => this.#noteActivity())
    guard.on(webSocket, 'pong', () => this.#noteActivity())
    guard.once(webSocket, 'close', () => {
      this.#state = 'closing'
      events.gone(this)
    })
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Answers the handshake. Until then the client is not read any further. */
  open(): void {
    if (this.#state !== 'deciding') return
    this.#state = 'open'
    this.#send(handshakeAccepted)
    this.#webSocket.resume()
    this.#take(this.#early.splice(0))
  }

  /** Bytes that the client has not taken yet. */
  get waitingBytes(): number {
    return this.#socket.writableLength
  }

  /** Writes a frame that is shared with other clients. Only while `isOpen`. */
  writeFrame(frame: Buffer, now: number): void {
    this.#sentAt = now
    this.#socket.write(frame)
  }

  /** Tells the client why, and closes. `allowReconnect` asks it to come again; before the handshake there is no way to say so. */
  close(reason: { readonly error?: string; readonly allowReconnect?: boolean }): void {
    if (this.#state === 'closing') return
    if (this.#state === 'open') this.#finish(closeMessage(reason))
    else if (reason.allowReconnect === true) this.drop()
    else this.#finish(handshakeRefused(reason.error ?? 'The connection is closed'))
  }

  /** Ends the connection without a message, which the client would not receive. */
  drop(): void {
    this.#state = 'closing'
    this.#webSocket.terminate()
  }

  /** Keeps the time limits; called every `sweepMs`. */
  tick(now: number, timings: HubTimings): void {
    if (this.#state === 'closing') return
    if (this.#state !== 'open') {
      if (now - this.#openedAt >= timings.handshakeMs) this.#finish(handshakeRefused('The handshake took too long'))
      return
    }
    if (now - this.#receivedAt >= timings.silenceMs) this.drop()
    else if (now - this.#sentAt >= timings.pingMs) this.#send(pingMessage)
  }

  #noteActivity(): void {
    this.#receivedAt = this.#now()
  }

  #receive(data: RawData): void {
    this.#noteActivity()
    const messages = this.#splitter.split(toBuffer(data))
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
    const refusal = refuseHandshake(message)
    if (refusal !== undefined) {
      this.#finish(handshakeRefused(refusal))
      return
    }
    this.#state = 'deciding'
    this.#webSocket.pause()
    this.#events.handshake(this)
  }

  #answer(text: string): void {
    const message = readClientMessage(text)
    if (message.kind === 'call') {
      this.#send(failedCompletion(message.invocationId))
      this.#events.answered(this)
    } else if (message.kind === 'close') this.#finish(closeMessage({}))
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
