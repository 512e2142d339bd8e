import { type Backoff, getBackoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'

export interface Result {
  /** Delay, in ms, after which the key is processed again even if nothing has changed. */
  requeueAfterMs?: number
  /**
   * Error if processing the key failed. The queue then retries the key with an increasing delay, but no later than
   * `requeueAfterMs`.
   */
  failure?: unknown
}

export interface WorkQueueOptions {
  clock: Clock
  /** Returns a random number in [0, 1). */
  random: () => number
  /** Number of keys that may be processed concurrently. Two workers never process the same key. */
  workers: number
  backoff: Backoff
  /** Processes the key once. If the function throws, the queue processes the key again after a delay. */
  process: (key: string) => Promise<Result>
  /** Called after each failure, with the delay until the queue processes the key again. */
  onFailure: (key: string, error: unknown, retryInMs: number) => void
}

export interface WorkQueue {
  /**
   * Processes the key as soon as a worker is free. A key that already waits is not added twice. A key that is being
   * processed is processed once more afterwards.
   */
  add(key: string): void
  /** Processes the key after a delay. If the key already has a deadline, the earlier of both deadlines applies. */
  addAfter(key: string, delayMs: number): void
  start(): void
  /** Prevents new calls of `process`. Resolves when the running calls have ended. */
  stop(): Promise<void>
  depth(): number
  /** Returns how long the oldest running call of `process` has run, in ms. Returns 0 if no call is running. */
  longestRunMs(): number
}

/**
 * Creates the queue of a level-triggered controller. The queue stores which keys must be processed, but not the
 * reasons. A failed call of `process` is repeated with an increasing delay, and a success resets the delay.
 */
export function createWorkQueue({ clock, random, workers, backoff, process, onFailure }: WorkQueueOptions): WorkQueue {
  const waiting = new Set<string>()
  const running = new Map<string, number>()
  const again = new Set<string>()
  const dueAtMs = new Map<string, number>()
  const failures = new Map<string, number>()
  let timer: { atMs: number; cancel: () => void } | undefined
  let open = false
  let drained: (() => void) | undefined

  function add(key: string): void {
    dueAtMs.delete(key)
    if (running.has(key)) again.add(key)
    else waiting.add(key)
    pump()
  }

  function addAfter(key: string, delayMs: number): void {
    if (delayMs <= 0) add(key)
    if (delayMs <= 0 || waiting.has(key)) return
    const atMs = clock.elapsedMs() + delayMs
    if ((dueAtMs.get(key) ?? Number.POSITIVE_INFINITY) <= atMs) return
    dueAtMs.set(key, atMs)
    if (timer === undefined || atMs < timer.atMs) arm(atMs)
  }

  /** A single timer serves all deadlines. It is always set to the earliest deadline. */
  function arm(atMs: number): void {
    timer?.cancel()
    timer = { atMs, cancel: clock.after(atMs - clock.elapsedMs(), ring) }
  }

  function ring(): void {
    timer = undefined
    const nowMs = clock.elapsedMs()
    let nextMs = Number.POSITIVE_INFINITY
    for (const [key, atMs] of dueAtMs) {
      if (atMs <= nowMs) add(key)
      else if (atMs < nextMs) nextMs = atMs
    }
    if (Number.isFinite(nextMs)) arm(nextMs)
  }

  function pump(): void {
    while (open && running.size < workers) {
      const next = waiting.values().next()
      if (next.done) return
      waiting.delete(next.value)
      running.set(next.value, clock.elapsedMs())
      void run(next.value)
    }
  }

  async function run(key: string): Promise<void> {
    const { requeueAfterMs, failure } = await process(key).catch((error: unknown): Result => ({ failure: error }))
    const delayMs = failure === undefined ? requeueAfterMs : delayAfter(key, failure, requeueAfterMs)
    if (failure === undefined) failures.delete(key)
    running.delete(key)
    // Skip the delay, because the change of the key may have resolved the failure.
    if (again.delete(key)) waiting.add(key)
    else if (delayMs !== undefined) schedule(key, delayMs)
    pump()
    if (!open && running.size === 0) drained?.()
  }

  function delayAfter(key: string, failure: unknown, deadlineMs: number | undefined): number {
    const count = (failures.get(key) ?? 0) + 1
    failures.set(key, count)
    const delayMs = Math.min(
      deadlineMs ?? Number.POSITIVE_INFINITY,
      Math.max(retryAfterMs(failure) ?? 0, getBackoffMs(backoff, count, random)),
    )
    onFailure(key, failure, delayMs)
    return delayMs
  }

  /** Replaces the deadline of a key, even if the new deadline is later. */
  function schedule(key: string, delayMs: number): void {
    dueAtMs.delete(key)
    addAfter(key, delayMs)
  }

  return {
    add,
    addAfter,
    start() {
      open = true
      pump()
    },
    async stop() {
      open = false
      timer?.cancel()
      timer = undefined
      if (running.size === 0) return
      await new Promise<void>((resolve) => {
        drained = resolve
      })
    },
    depth: () => waiting.size,
    longestRunMs() {
      const nowMs = clock.elapsedMs()
      let longest = 0
      for (const sinceMs of running.values()) longest = Math.max(longest, nowMs - sinceMs)
      return longest
    },
  }
}

function retryAfterMs(error: unknown): number | undefined {
  return error instanceof Error && 'retryAfterMs' in error && typeof error.retryAfterMs === 'number'
    ? error.retryAfterMs
    : undefined
}
