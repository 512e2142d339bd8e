import type { ServerResponse } from 'node:http'
import { Limits } from '@capstan/contract/limits'
import { type FailureLog, Guard } from '@capstan/http/guard'

declare module 'fastify' {
  interface FastifyInstance {
    /** Limits the total size of responses that are fully in memory before they are sent. */
    unsentAnswers: UnsentAnswers
  }
}

export interface UnsentAnswers {
  hold(response: ServerResponse, bytes: Buffer): void
}

/**
 * Limits the memory of responses to slow clients. A stalled client retains its response until its connection times out after five
 * minutes. A scoreboard may change every second, so a large game can have 300 scoreboards of 20 MB in memory. Above the limit,
 * clients of the largest response are disconnected first. Among equally large responses, the oldest is first. Clients of the newest
 * response are never disconnected.
 */
export function createUnsentResponseLimit(log?: FailureLog, maxBytes: number = Limits.maxPendingAnswersBytes): UnsentAnswers {
  /** Unfinished responses, as a map from their bytes to the responses that send these bytes. The oldest bytes are first. */
  const unsent = new Map<Buffer, Set<ServerResponse>>()
  let unsentBytes = 0

  const forget = (bytes: Buffer): void => {
    unsent.delete(bytes)
    unsentBytes -= bytes.length
  }
  const release = (response: ServerResponse, bytes: Buffer): void => {
    const waiting = unsent.get(bytes)
    if (waiting?.delete(response) && waiting.size === 0) forget(bytes)
  }
  const dropLargest = (): void => {
    const largestFirst = [...unsent].slice(0, -1).sort(([left], [right]) => right.length - left.length)
    for (const [bytes, waiting] of largestFirst) {
      if (unsentBytes <= maxBytes) return
      forget(bytes)
      for (const response of waiting) response.destroy()
    }
  }
  return {
    hold(response, bytes) {
      if (bytes.length < Limits.minCountedAnswerBytes || response.closed) return
      const waiting = unsent.get(bytes)
      if (waiting) waiting.add(response)
      else {
        unsent.set(bytes, new Set([response]))
        unsentBytes += bytes.length
      }
      new Guard(log, response).once(response, 'close', () => release(response, bytes))
      if (unsentBytes > maxBytes) dropLargest()
    },
  }
}
