import type { RealtimeMessage } from '@capstan/contract/events'

/** Called once per message, in the order of one publisher's `publish` calls. What it throws is logged, and the other listeners are called all the same. */
export type MessageListener = (message: RealtimeMessage) => void

/**
 * Whether messages reach the other processes at this moment.
 * - `up`: yes.
 * - `connecting`: no. Messages published now are lost: readers refetch, and no data is lost.
 * - `refused`: no, because Redis refuses the connection or the command: a wrong password, protected mode, missing rights. Messages
 *   are lost as above.
 * - `closed`: `close` was called.
 */
export type BusState = 'up' | 'connecting' | 'refused' | 'closed'

export interface BusHealth {
  readonly state: BusState
  /** Messages handed to listeners of this process since the start. */
  readonly received: number
  /** Messages sent to all processes since the start. */
  readonly published: number
  /** Messages that could not be sent, or were unreadable when they arrived, since the start. */
  readonly lost: number
  /** How often this process lost the others and found them again. Each time messages may have been lost, so its readers must refetch. */
  readonly interruptions: number
}

/**
 * Carries realtime messages from the api to every gateway. Events only: the truth is in PostgreSQL, so a message may be lost,
 * and a subscriber that was away refetches.
 * Two adapters under the same tests: `in-process-bus.ts` and `redis-bus.ts`.
 */
export interface MessageBus {
  /** Sends to every subscriber of every process, this one included. Call after the commit. Returns at once and never throws. */
  publish(message: RealtimeMessage): void
  /** Listens from now on; the returned function ends it and may be called again. Nothing is replayed. */
  subscribe(listener: MessageListener): () => void
  /** For `/readyz` and metrics. */
  health(): BusHealth
  /** Sends what was published so far if that is possible, then ends all listeners. Safe to call again. */
  close(): Promise<void>
}

/** The part of a pino logger that a bus needs. */
export interface BusLogger {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}
