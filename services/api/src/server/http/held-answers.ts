import type { ServerResponse } from 'node:http'
import { Limits } from '@capstan/contract/limits'
import { type FailureLog, Guard } from '@capstan/http/guard'

declare module 'fastify' {
  interface FastifyInstance {
    /** Unsent bytes of all answers that are sent as ready bytes. */
    heldAnswers: HeldAnswers
  }
}

export interface HeldAnswers {
  /** Counts the bytes of an answer until they are sent or its connection ends. */
  hold(response: ServerResponse, bytes: Buffer): void
}

/**
 * Bounds the memory of answers that clients read slowly or never. A board may change each second, and a client that does not read
 * retains its bytes until the stalled connection is cut off five minutes later: up to 300 boards of 20 MB of a large game. The largest
 * bytes are dropped first, then the oldest, and never the newest. A client that reads a board within seconds is not affected.
 */
export function createHeldAnswers(log?: FailureLog, maxBytes: number = Limits.answersHeldMaxBytes): HeldAnswers {
  /** Responses by their bytes, in the order in which these were first sent. */
  const held = new Map<Buffer, Set<ServerResponse>>()
  let heldBytes = 0

  const forget = (bytes: Buffer): void => {
    held.delete(bytes)
    heldBytes -= bytes.length
  }
  const release = (response: ServerResponse, bytes: Buffer): void => {
    const waiting = held.get(bytes)
    if (waiting?.delete(response) && waiting.size === 0) forget(bytes)
  }
  const giveUp = (): void => {
    const largestFirst = [...held].slice(0, -1).sort(([left], [right]) => right.length - left.length)
    for (const [bytes, waiting] of largestFirst) {
      if (heldBytes <= maxBytes) return
      forget(bytes)
      for (const response of waiting) response.destroy()
    }
  }
  return {
    hold(response, bytes) {
      if (bytes.length < Limits.answerHeldLeastBytes || response.closed) return
      const waiting = held.get(bytes)
      if (waiting) waiting.add(response)
      else {
        held.set(bytes, new Set([response]))
        heldBytes += bytes.length
      }
      new Guard(log, response).once(response, 'close', () => release(response, bytes))
      if (heldBytes > maxBytes) giveUp()
    },
  }
}
