import type { RealtimeMessage } from '@capstan/contract/events'

/**
 * Function that is called once for each message. Messages of one publisher arrive in the order in which they were sent. If the
 * function throws, the error is logged and the other listeners are still called.
 */
export type MessageListener = (message: RealtimeMessage) => void

/**
 * State of the connection to the other processes.
 * - `up`: messages reach the other processes.
 * - `connecting`: messages are lost. Clients refetch, so no data is lost.
 * - `refused`: messages are lost because Redis refuses the connection or the command: wrong password, protected mode, missing
 *   rights.
 * - `closed`: `close` was called.
 */
export type BusState = 'up' | 'connecting' | 'refused' | 'closed'

export type BusHealth = Readonly<{
  state: BusState
  received: number
  published: number
  /** Number of messages that could not be sent, or that arrived but could not be parsed, since the start of the process. */
  lost: number
  /**
   * Number of reconnections since the start of the process. Messages may have been lost before each reconnection, so clients must
   * refetch.
   */
  interruptions: number
}>

/**
 * Bus that carries realtime messages from the api to every gateway. A message may be lost, but PostgreSQL has the data, and
 * subscribers refetch after a reconnect. Two adapters pass the same tests: `in-process-bus.ts` and `redis-bus.ts`.
 */
export interface MessageBus {
  /**
   * Sends a message to all subscribers in all processes, including this process. Call this after the commit. Returns at once and
   * never throws.
   */
  publish(message: RealtimeMessage): void
  subscribe(listener: MessageListener): () => void
  health(): BusHealth
  /** Sends pending messages if possible, then removes all listeners. Idempotent. */
  close(): Promise<void>
}

/** Methods of a pino logger that a bus uses. */
export interface BusLogger {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}
