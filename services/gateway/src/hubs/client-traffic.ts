import { GatewayBounds } from '@capstan/contract/limits'

/** Length of the period in which the messages and the bytes of a client are counted, in ms. */
const windowMs = 15_000

/** Counts the messages and bytes that a hub client sends, see docs/contract/live-hubs.md#times-and-sizes. */
export class ClientTraffic {
  readonly #now: () => number
  #windowStart: number
  #messages = 0
  #bytes = 0
  /** Number of bytes since the last complete frame. `ws` may retain all these bytes. */
  #unfinishedBytes = 0

  constructor(now: () => number) {
    this.#now = now
    this.#windowStart = now()
  }

  /** Counts messages. @returns false if the client has sent too many messages */
  addMessages(count: number): boolean {
    this.#startWindow()
    this.#messages += count
    return this.#messages <= GatewayBounds.maxHubMessages
  }

  /** Counts bytes that the socket received. @returns false if the client has sent too many bytes */
  addBytes(count: number): boolean {
    this.#startWindow()
    this.#bytes += count
    this.#unfinishedBytes += count
    return Math.max(this.#bytes, this.#unfinishedBytes) <= GatewayBounds.maxHubBytes
  }

  finishFrame(): void {
    this.#unfinishedBytes = 0
  }

  #startWindow(): void {
    const now = this.#now()
    if (now - this.#windowStart < windowMs) return
    this.#windowStart = now
    this.#messages = 0
    this.#bytes = 0
  }
}
