import { GatewayBounds } from '@capstan/contract/limits'

/**
 * Subset of the SignalR JSON hub protocol, version 1, that is needed for hubs without methods
 * (docs/contract/live-hubs.md#messages). All functions are pure. Every message is a JSON text followed by the record separator.
 */
const separator = '\x1e'
const separatorByte = 0x1e

export const handshakeAccepted = `{}${separator}`
export const pingMessage = `{"type":6}${separator}`

export function encodeHandshakeError(error: string): string {
  return JSON.stringify({ error }) + separator
}

/** Returns a close message. The client reconnects only if `allowReconnect` is true. */
export function encodeCloseMessage(reason: Readonly<{ error?: string; allowReconnect?: boolean }>): string {
  return JSON.stringify({ type: 7, ...reason }) + separator
}

/** Returns a message that calls the client's method `target` with one argument, which is how hubs push data. */
export function encodeInvocation(target: string, argument: unknown): string {
  return `{"type":1,"target":${JSON.stringify(target)},"arguments":[${JSON.stringify(argument)}]}${separator}`
}

export function encodeFailedCompletion(invocationId: string): string {
  return JSON.stringify({ type: 3, invocationId, error: 'This hub has no methods' }) + separator
}

/** Checks a handshake. @returns the reason for `encodeHandshakeError`, or undefined if the handshake is valid */
export function findHandshakeFault(text: string): string | undefined {
  const value = parseObject(text)
  if (value === undefined) return 'The handshake is not a JSON object'
  if (value.protocol !== 'json') return 'Only the protocol "json" is supported'
  if (value.version !== 1) return 'Only version 1 of the protocol "json" is supported'
  return undefined
}

export type ClientMessage =
  | { readonly kind: 'close' }
  /** Call that needs a response. Hubs have no methods, so the response is `encodeFailedCompletion`. */
  | Readonly<{ kind: 'call'; invocationId: string }>
  /** Message that needs no response: a ping, a call without an id, or a stream item. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'invalid' }

const callTypes = [1, 4]
const typeOfClose = 7

export function parseClientMessage(text: string): ClientMessage {
  const value = parseObject(text)
  if (value === undefined || typeof value.type !== 'number') return { kind: 'invalid' }
  if (value.type === typeOfClose) return { kind: 'close' }
  if (callTypes.includes(value.type) && typeof value.invocationId === 'string')
    return { kind: 'call', invocationId: value.invocationId }
  return { kind: 'ignored' }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const nothing = Buffer.alloc(0)

/** Splits the bytes of frames into messages. A frame may contain several messages, and a message may span frames. */
export class MessageSplitter {
  /** Received bytes of a message that is still incomplete. Usually there are none. */
  #rest = nothing
  #restBytes = 0

  /**
   * Returns the messages that are complete, in order and without their separators.
   * @returns undefined if a message is larger than `GatewayBounds.maxHubMessageBytes`
   */
  split(frame: Buffer): string[] | undefined {
    const messages: string[] = []
    let start = 0
    for (let end = frame.indexOf(separatorByte); end >= 0; end = frame.indexOf(separatorByte, start)) {
      const message = this.#end(frame.subarray(start, end))
      if (message === undefined) return undefined
      messages.push(message)
      start = end + 1
    }
    return this.#add(frame.subarray(start)) ? messages : undefined
  }

  /** @returns undefined if the message is too large */
  #end(piece: Buffer): string | undefined {
    if (this.#restBytes === 0) return piece.length > GatewayBounds.maxHubMessageBytes ? undefined : piece.toString()
    if (!this.#add(piece)) return undefined
    const message = this.#rest.toString('utf8', 0, this.#restBytes)
    this.#rest = nothing
    this.#restBytes = 0
    return message
  }

  /**
   * Adds bytes to the incomplete message. Doubles the buffer when it is full, up to the maximum size of a message.
   * Without this growth, a message that arrives byte by byte would be copied for each byte.
   */
  #add(piece: Buffer): boolean {
    const bytes = this.#restBytes + piece.length
    if (bytes > GatewayBounds.maxHubMessageBytes) return false
    if (bytes > this.#rest.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(GatewayBounds.maxHubMessageBytes, Math.max(bytes, 2 * this.#rest.length)))
      this.#rest.copy(grown, 0, 0, this.#restBytes)
      this.#rest = grown
    }
    piece.copy(this.#rest, this.#restBytes)
    this.#restBytes = bytes
    return true
  }
}
