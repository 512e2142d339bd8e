/** What the load generator is told to do. */
export interface LoadOrder {
  readonly port: number
  /** Connections, each with one request at a time. */
  readonly clients: number
  readonly seconds: number
  /** So many requests and no more; absent: as many as the time takes. */
  readonly most?: number
  /** Between one request of a client and its next, unless the answer takes longer; absent: none. */
  readonly pauseMs?: number
  /** Clients come one by one, at times by chance within so long; absent: within `pauseMs`, or all in one moment. */
  readonly arriveWithinMs?: number
  /** Sent in this order over all connections; from the start again when they are used up. */
  readonly requests: readonly LoadRequest[]
  /** Brings back which request got which body. */
  readonly keepsBodies: boolean
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string
  /** Asked next on the same connection, with the answer at its end: both together are one answer, the second's body its body. */
  readonly thenGet?: string
}

/** What came of it. */
export interface LoadReport {
  /** Good answers (2xx) per second within the time. */
  readonly perSecond: number
  /** Until the last answer. */
  readonly lastedMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Good answers, those after the time included: every request is awaited. */
  readonly answered: number
  /** Status, or `broken` for a connection that was closed or a request that was never answered, with its number. Empty when all went well. */
  readonly failures: Readonly<Record<string, number>>
  /** Mean size of a good answer on the wire. */
  readonly bytesPerAnswer: number
  /** With `keepsBodies`: place of the request in the order, and the good answer's body. */
  readonly bodies: readonly (readonly [request: number, body: string])[]
}
