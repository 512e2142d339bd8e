import { hubs, type RealtimeMessage } from '@capstan/contract/events'
import type { HubName } from '../http/address.ts'
import type { HubConnection } from './hub-connection.ts'
import { encodeInvocation } from './protocol.ts'
import type { Room, Rooms } from './rooms.ts'
import { encodeTextFrame } from './text-frame.ts'

/** Maximum length of the text in a frame with several messages, in UTF-16 units. */
const maxFrameText = 64 * 1024

export type FanoutOptions = Readonly<{
  rooms: Rooms
  /**
   * Maximum number of unsent bytes that the gateway buffers for a client that reads slowly. Above this maximum, the
   * gateway drops the client, which then reconnects and refetches.
   */
  maxWaitingBytes: number
  now: () => number
  onSent: (hub: HubName, count: number) => void
  onSlowReader: (hub: HubName) => void
}>

type Route = Readonly<{
  hub: HubName
  target: string
}>

/** Hub and method name for each kind of message. */
const routes: ReadonlyMap<string, Route> = new Map(
  (Object.keys(hubs) as HubName[]).flatMap((hub) =>
    Object.entries(hubs[hub].targets).map(([kind, target]) => [kind, { hub, target }]),
  ),
)

/**
 * Sends messages to rooms. Each message is serialized once for all clients. Messages that are sent in the same turn of the event
 * loop share a frame, so that a burst costs one write per client.
 */
export class Fanout {
  readonly #options: FanoutOptions
  readonly #waiting = new Map<Room, string[]>()

  constructor(options: FanoutOptions) {
    this.#options = options
  }

  send(message: RealtimeMessage): void {
    const route = routes.get(message.kind)
    if (route === undefined || !('payload' in message)) return
    const room = this.#options.rooms.find(route.hub, 'gameId' in message ? message.gameId : undefined)
    if (room === undefined) return
    if (this.#waiting.size === 0) setImmediate(() => this.#flush())
    const texts = this.#waiting.get(room) ?? []
    texts.push(encodeInvocation(route.target, message.payload))
    this.#waiting.set(room, texts)
  }

  #flush(): void {
    const rooms = [...this.#waiting]
    this.#waiting.clear()
    for (const [room, texts] of rooms) {
      for (const { text, count } of joined(texts)) this.#write(room.hub, room.members, encodeTextFrame(text), count)
    }
  }

  /** Sends a message to some clients of a room immediately, without waiting for the end of the turn. */
  sendTo(hub: HubName, members: Iterable<HubConnection>, target: string, payload: unknown): void {
    this.#write(hub, members, encodeTextFrame(encodeInvocation(target, payload)), 1)
  }

  dropIfSlow(hub: HubName, client: HubConnection): boolean {
    const { maxWaitingBytes, onSlowReader } = this.#options
    if (client.waitingBytes <= maxWaitingBytes) return false
    client.drop()
    onSlowReader(hub)
    return true
  }

  #write(hub: HubName, members: Iterable<HubConnection>, frame: Buffer, messageCount: number): void {
    const { onSent } = this.#options
    const now = this.#options.now()
    let clients = 0
    for (const client of members) {
      if (!client.isOpen) continue
      if (this.dropIfSlow(hub, client)) continue
      client.writeFrame(frame, now)
      clients += 1
    }
    onSent(hub, clients * messageCount)
  }
}

/** Joins consecutive texts up to the maximum length. A text that alone exceeds this length is not joined. */
function joined(texts: readonly string[]): { text: string; count: number }[] {
  const parts: { text: string; count: number }[] = []
  for (const text of texts) {
    const last = parts.at(-1)
    if (last && last.text.length + text.length <= maxFrameText) {
      last.text += text
      last.count += 1
    } else {
      parts.push({ text, count: 1 })
    }
  }
  return parts
}
