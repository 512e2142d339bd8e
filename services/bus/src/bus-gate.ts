import type { BusLogger, BusState } from './message-bus.ts'

/**
 * Maximum time that a starting process waits for the bus, in ms, by the state of the bus. If Redis is unreachable, the wait is
 * short, because the platform must also start without Redis. If Redis refuses the connection, a setting is wrong. In this case, the
 * wait is longer than the timeout of helm, so that the rollout fails.
 */
const maxWaitMs: Readonly<Record<BusState, number>> = { up: 0, connecting: 30_000, refused: 600_000, closed: 0 }

type BusGateOptions = Readonly<{
  state: () => BusState
  log: Pick<BusLogger, 'warn'>
  /** Monotonic clock in ms. Default: the clock of the process. */
  now?: () => number
}>

/**
 * Returns a function that returns true once the bus is up or the maximum wait is over. After that, the function
 * always returns true, because a running process works without Redis.
 */
export function createBusGate({ state, log, now = () => performance.now() }: BusGateOptions): () => boolean {
  const startedAtMs = now()
  let isOpen = state() === 'up'
  return () => {
    if (isOpen) return true
    const bus = state()
    isOpen = now() - startedAtMs >= maxWaitMs[bus]
    if (isOpen && bus !== 'up') log.warn({ bus }, 'Starting without Redis: realtime messages do not reach other processes')
    return isOpen
  }
}
