import type { IncomingMessage } from 'node:http'
import { Limits } from '@capstan/contract/limits'
import { Guard } from '@capstan/http/guard'

/** Minimum average pace at which a client must send a body, in every time window, including the first window. */
export type UploadPace = Readonly<{
  minBytesPerSecond: number
  windowMs: number
}>

const defaultPace: UploadPace = {
  minBytesPerSecond: Limits.minUploadBytesPerSecond,
  windowMs: Limits.uploadPaceSeconds * 1000,
}

const checksPerWindow = 20

export type RefusedBody = 'request.too-slow' | 'request.too-large'

export interface BodyWatch {
  /**
   * Starts to count bytes and to measure the pace. Call this when a consumer begins to read the body.
   * @param maxBytes maximum size of the body
   * @param refuse function that is called if the body arrives too slowly or exceeds its maximum size
   */
  read(maxBytes: number, refuse: (code: RefusedBody) => void): void
  /** Discards the rest of the body, so that the client can read the response. */
  ignoreRest(): void
}

/**
 * Watches the pace at which a body arrives, until its end. Time in which the blob store delays the body does not count. If a
 * discarded body is too slow or too long, the connection is closed.
 */
export function watchUploadPace(body: IncomingMessage, pace: UploadPace = defaultPace): BodyWatch {
  const { socket } = body
  let reader: ((code: RefusedBody) => void) | undefined
  let ignoredFromBytes: number | undefined
  let window = { startedAt: performance.now(), bytesRead: socket.bytesRead }
  const isTaken = (): boolean => body.readableFlowing === true

  const isTooMuch = (): boolean => {
    if (reader || !isTaken()) return false
    ignoredFromBytes ??= socket.bytesRead
    return socket.bytesRead - ignoredFromBytes > Limits.maxIgnoredUploadBytes
  }

  const isTooSlow = (): boolean => {
    const elapsedMs = performance.now() - window.startedAt
    const isWindowOver = elapsedMs >= pace.windowMs
    if (!isWindowOver && isTaken()) return false
    const bytes = socket.bytesRead - window.bytesRead
    window = { startedAt: performance.now(), bytesRead: socket.bytesRead }
    return isWindowOver && isTaken() && bytes < (pace.minBytesPerSecond * elapsedMs) / 1000
  }

  const check = (): void => {
    const isOver = body.complete || body.destroyed
    if (!isOver && !isTooMuch() && !isTooSlow()) return
    clearInterval(timer)
    if (isOver) return
    if (reader) reader('request.too-slow')
    else socket.destroy()
  }
  const timer = setInterval(check, pace.windowMs / checksPerWindow)
  timer.unref()
  const guard = new Guard(undefined, body)
  guard.once(body, 'close', () => clearInterval(timer))

  return {
    read(maxBytes, refuse) {
      reader = refuse
      let bytes = 0
      guard.on(body, 'data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) reader?.('request.too-large')
      })
    },
    ignoreRest() {
      reader = undefined
      body.unpipe().resume()
    },
  }
}
