import type { ServerResponse } from 'node:http'
import { Limits } from '@capstan/contract/limits'
import { type FailureLog, Guard } from '@capstan/http/guard'

export interface UnsentAnswers {
  /**
   * Counts a response until it is sent. Responses that share one buffer need its memory only once.
   * @param callerOf returns the key of the client's network
   */
  hold(response: ServerResponse, content: string | Uint8Array, callerOf: () => string): void
}

/** Content in memory, and the unfinished responses that send it, each with its caller. */
type Unsent = Readonly<{ size: number; waiting: Map<ServerResponse, string> }>

/** Returns the caller of all responses with this content. If they have different callers, returns the content itself. */
function ownerOf({ waiting }: Unsent, content: unknown): unknown {
  const [owner] = waiting.values()
  return waiting.values().every((caller) => caller === owner) ? owner : content
}

/**
 * Limits the memory of responses to slow clients. A stalled client retains its response until its connection times out after five
 * minutes. A scoreboard may change every second, so a large game can have 300 scoreboards of 20 MB in memory. Above the limit, the
 * largest response of the caller with the most bytes is dropped, and its clients are disconnected. A response that several callers
 * share counts as a separate caller. Of equally large responses, the oldest is dropped first. The newest response is never dropped.
 */
export function createUnsentResponseLimit(log?: FailureLog, maxBytes: number = Limits.maxPendingAnswersBytes): UnsentAnswers {
  /** Contents in memory, oldest first. The key is the shared buffer, or the response if its content is a string. */
  const contents = new Map<unknown, Unsent>()
  let unsentBytes = 0

  const forget = (content: unknown, { size }: Unsent): void => {
    if (contents.delete(content)) unsentBytes -= size
  }
  const dropLargest = (): void => {
    const bytesOf = new Map<unknown, number>()
    const rows = [...contents].map(([content, one]) => ({ content, one, owner: ownerOf(one, content) }))
    for (const { owner, one } of rows) bytesOf.set(owner, (bytesOf.get(owner) ?? 0) + one.size)
    let [first] = rows
    const bytes = ({ owner }: (typeof rows)[number]) => bytesOf.get(owner) ?? 0
    for (const row of rows.slice(0, -1))
      if (first && (bytes(row) - bytes(first) || row.one.size - first.one.size) > 0) first = row
    if (!first) return
    forget(first.content, first.one)
    for (const response of first.one.waiting.keys()) response.destroy()
  }
  return {
    hold(response, content, callerOf) {
      const size = Buffer.byteLength(content)
      if (size < Limits.minCountedAnswerBytes || response.closed) return
      const key = typeof content === 'string' ? response : content
      const one = contents.get(key) ?? { size, waiting: new Map() }
      if (!contents.has(key)) {
        contents.set(key, one)
        unsentBytes += size
      }
      one.waiting.set(response, callerOf())
      new Guard(log, response).once(response, 'close', () => {
        if (one.waiting.delete(response) && one.waiting.size === 0 && contents.get(key) === one) forget(key, one)
      })
      while (unsentBytes > maxBytes && contents.size > 1) dropLargest()
    },
  }
}
