import { type Backoff, backoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'

/** What one pass over a key asks for. */
export interface Result {
  /** Look again after this many milliseconds, even if nothing happens. */
  requeueAfterMs?: number
  /** Why the pass did not reach its goal: it is repeated with a growing delay, but no later than `requeueAfterMs`. */
  failure?: unknown
}

export interface WorkQueueOptions {
  clock: Clock
  /** In [0, 1). */
  random: () => number
  /** How many keys are worked on at once; never two workers on one key. */
  workers: number
  backoff: Backoff
  /** One pass. To throw is to fail without a deadline. */
  process: (key: string) => Promise<Result>
  /** Told about each failed pass and when the key is tried again. */
  onFailure: (key: string, error: unknown, retryInMs: number) => void
}

export interface WorkQueue {
  /** Work on the key as soon as a worker is free. A waiting key is stored once; a running one runs again after. */
  add(key: string): void
  /** Work on the key after a delay; the earlier of two deadlines counts. */
  addAfter(key: string, delayMs: number): void
  /** Lets the workers begin. */
  start(): void
  /** Takes no further key; resolves when the running passes have ended. */
  stop(): Promise<void>
  /** Keys that wait for a worker. */
  depth(): number
  /** How long the longest pass has been running, in milliseconds; 0 if none is. */
  longestRunMs(): number
}

/**
 * Queue of keys for a level-triggered controller: what happened to a key is not stored, only that it needs a look.
 * A failed pass is repeated with a growing delay of its own; success forgets the failures.
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

  /** One timer for all deadlines, set to the earliest. */
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
    // A change of the key may well be the cure of a failure, so it does not wait for the delay to pass.
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
      Math.max(retryAfterMs(failure) ?? 0, backoffMs(backoff, count, random)),
    )
    onFailure(key, failure, delayMs)
    return delayMs
  }

  /** The delay of the newest pass replaces that of an older one. */
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

const retryAfterMs = (error: unknown): number | undefined =>
  error instanceof Error && 'retryAfterMs' in error && typeof error.retryAfterMs === 'number' ? error.retryAfterMs : undefined
