import type { IncomingMessage } from 'node:http'
import { Limits } from '@capstan/contract/limits'
import { Guard } from '@capstan/http/guard'

/** What is asked of a sender: so much on average in every stretch of time, the first included. */
export type UploadPace = Readonly<{
  leastBytesPerSecond: number
  windowMs: number
}>

const defaultPace: UploadPace = {
  leastBytesPerSecond: Limits.uploadLeastBytesPerSecond,
  windowMs: Limits.uploadPaceSeconds * 1000,
}

const looksPerWindow = 20

export interface BodyWatch {
  /** The body is read from now on; `onTooSlow` is called when it comes too slowly. */
  read(onTooSlow: () => void): void
  /** The body is not read any more: the rest is discarded, so that the client can read the answer. */
  ignoreRest(): void
}

/**
 * Watches a body come in until it ends. Time in which we do not take it, as the store of files is slow, does not count. One that
 * nobody reads, as the call was refused, loses its connection when it is too slow or too long.
 */
export function watchBody(body: IncomingMessage, pace: UploadPace = defaultPace): BodyWatch {
  const { socket } = body
  let reader: (() => void) | undefined
  let ignoredFromBytes: number | undefined
  let window = { startedAt: performance.now(), bytesRead: socket.bytesRead }
  const isTaken = (): boolean => body.readableFlowing === true

  const isTooMuch = (): boolean => {
    if (reader || !isTaken()) return false
    ignoredFromBytes ??= socket.bytesRead
    return socket.bytesRead - ignoredFromBytes > Limits.uploadIgnoredMaxBytes
  }

  const isTooSlow = (): boolean => {
    const elapsedMs = performance.now() - window.startedAt
    const isWindowOver = elapsedMs >= pace.windowMs
    if (!isWindowOver && isTaken()) return false
    const bytes = socket.bytesRead - window.bytesRead
    window = { startedAt: performance.now(), bytesRead: socket.bytesRead }
    return isWindowOver && isTaken() && bytes < (pace.leastBytesPerSecond * elapsedMs) / 1000
  }

  const look = (): void => {
    const isOver = body.complete || body.destroyed
    if (!isOver && !isTooMuch() && !isTooSlow()) return
    clearInterval(timer)
    if (isOver) return
    if (reader) reader()
    else socket.destroy()
  }
  const timer = setInterval(look, pace.windowMs / looksPerWindow)
  timer.unref()
  new Guard(undefined, body).once(body, 'close', () => clearInterval(timer))

  return {
    read(onTooSlow) {
      reader = onTooSlow
    },
    ignoreRest() {
      reader = undefined
      body.unpipe().resume()
    },
  }
}
