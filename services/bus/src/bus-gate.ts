import type { BusLogger, BusState } from './message-bus.ts'

/**
 * How long a starting process waits for the bus before it takes calls without it, in milliseconds. A Redis that is away may stay
 * away, and a start must not depend on it, so that wait is short. A Redis that refuses the connection means a wrong setting, which
 * must stop a rollout, so that wait is longer than helm's but not endless.
 */
const waitsMs: Readonly<Record<BusState, number>> = { up: 0, connecting: 30_000, refused: 600_000, closed: 0 }

interface BusGateOptions {
  /** The present state of the bus. */
  readonly state: () => BusState
  readonly log: Pick<BusLogger, 'warn'>
  /** In milliseconds, never going back. Absent: that of the process. */
  readonly now?: () => number
}

/**
 * Whether a starting process may take calls as far as the bus is concerned: once the bus was up, or after the longest wait. The
 * answer stays true from then on, because a running process goes on serving when Redis goes away.
 */
export function createBusGate({ state, log, now = () => performance.now() }: BusGateOptions): () => boolean {
  const startedAtMs = now()
  let isOpen = state() === 'up'
  return () => {
    if (isOpen) return true
    const bus = state()
    isOpen = now() - startedAtMs >= waitsMs[bus]
    if (isOpen && bus !== 'up') log.warn({ bus }, 'Taking calls without Redis: realtime messages stay in their process')
    return isOpen
  }
}
