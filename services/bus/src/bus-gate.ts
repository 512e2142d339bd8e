import type { BusLogger, BusState } from './message-bus.ts'

/**
 * How long a process that starts waits for the bus before it takes calls without, in milliseconds. A Redis that is away may be so
 * for long, and no start must depend on it. One that refuses us is a mistake in a setting, which a rollout has to stop at: longer
 * than helm waits, and not for ever.
 */
const waitsMs: Readonly<Record<BusState, number>> = { up: 0, connecting: 30_000, refused: 600_000, closed: 0 }

interface BusGateOptions {
  /** What the bus says of itself now. */
  readonly state: () => BusState
  readonly log: Pick<BusLogger, 'warn'>
  /** In milliseconds, never going back. Absent: that of the process. */
  readonly now?: () => number
}

/**
 * Whether a process that starts may take calls, as far as the bus goes: from its first success on, or when it has waited long
 * enough. Once true it stays so: Redis may vanish at any moment, and whoever serves goes on serving.
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
