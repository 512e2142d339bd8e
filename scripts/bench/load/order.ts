/** What the load generator is told to do. */
export type LoadOrder = Readonly<{
  port: number
  /** Connections, each with one request at a time. */
  clients: number
  seconds: number
  /** So many requests and no more; absent: as many as the time takes. */
  most?: number
  /** Between one request of a client and its next, unless the answer takes longer; absent: none. */
  pauseMs?: number
  /** Clients come one by one, at times by chance within so long; absent: within `pauseMs`, or all in one moment. */
  arriveWithinMs?: number
  /** Sent in this order over all connections; from the start again when they are used up. */
  requests: readonly LoadRequest[]
  /** Brings back which request got which body. */
  keepsBodies: boolean
}>

export type LoadRequest = Readonly<{
  method: 'GET' | 'POST'
  path: string
  headers?: Readonly<Record<string, string>>
  /** JSON. */
  body?: string
  /** Asked next on the same connection, with the answer at its end: both together are one answer, the second's body its body. */
  thenGet?: string
}>

/** What came of it. */
export type LoadReport = Readonly<{
  /** Good answers (2xx) per second within the time. */
  perSecond: number
  /** Until the last answer. */
  lastedMs: number
  p50Ms: number
  p99Ms: number
  /** Good answers, those after the time included: every request is awaited. */
  answered: number
  /** Status, or `broken` for a connection that was closed or a request that was never answered, with its number. Empty when all went well. */
  failures: Readonly<Record<string, number>>
  /** Mean size of a good answer on the wire. */
  bytesPerAnswer: number
  /** With `keepsBodies`: place of the request in the order, and the good answer's body. */
  bodies: readonly (readonly [request: number, body: string])[]
}>
