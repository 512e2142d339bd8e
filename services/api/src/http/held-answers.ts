import type { ServerResponse } from 'node:http'
import { Limits } from '@capstan/contract/limits'
import { type FailureLog, Guard } from '@capstan/http/guard'

declare module 'fastify' {
  interface FastifyInstance {
    /** Of all answers that are ready as bytes. */
    heldAnswers: HeldAnswers
  }
}

export interface HeldAnswers {
  /** Counts bytes that go out as an answer until they have, or the client is gone. */
  hold(response: ServerResponse, bytes: Buffer): void
  /** The same for bytes that have been written: most often the system has taken all of them. */
  holdRest(response: ServerResponse, bytes: Buffer): void
}

/**
 * Bounds what is in memory for clients alone that take an answer slowly, or never. There may be a new board each second, and whoever
 * leaves one untaken keeps all of it until they are cut off for standing still, five minutes later: of a large game, 300 times 20 MB.
 * The largest goes first, then the oldest, and never the newest. Who takes a board within seconds is never met by it.
 */
export const createHeldAnswers = (log?: FailureLog, maxBytes: number = Limits.answersHeldMaxBytes): HeldAnswers => {
  /** Who waits for the same bytes, in the order in which these were first sent. */
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
  const hold = (response: ServerResponse, bytes: Buffer): void => {
    if (bytes.length < Limits.answerHeldLeastBytes || response.closed) return
    const waiting = held.get(bytes)
    if (waiting) waiting.add(response)
    else {
      held.set(bytes, new Set([response]))
      heldBytes += bytes.length
    }
    new Guard(log, response).once(response, 'close', () => release(response, bytes))
    if (heldBytes > maxBytes) giveUp()
  }
  return {
    hold,
    holdRest(response, bytes) {
      if (response.socket && response.socket.writableLength > 0) hold(response, bytes)
    },
  }
}
