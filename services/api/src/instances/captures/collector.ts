import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ObservedCapture } from '../lifecycle/runtime.ts'
import { type CapturedInstance, createCollectionRepository } from './collection-repository.ts'
import { createRecordingFetcher, type RecordingFetcherDeps } from './recording-fetcher.ts'

export type CollectorTimes = Readonly<{
  /** Time between two fetches from a running instance. A fetch gets the finished files from all recorders of the instance. */
  intervalMs: number
  /**
   * Time after which a lease expires if its holder does not renew the lease. Another process may then take over. This time is
   * longer than `intervalMs`.
   */
  leaseMs: number
  /**
   * Delay of the retry after the first failure. The delay doubles with each failure, up to `cap`, or up to `endingCap` for an
   * ending instance.
   */
  retryMs: Readonly<{ first: number; cap: number; endingCap: number }>
  /**
   * Maximum time of one fetch from an instance. If a recorder never stops sending, the next fetch continues where this fetch
   * stopped.
   */
  visitMs: number
  /** Time between two checks of all instances. A check finds the instances whose events were missed. */
  resyncMs: number
}>

const defaultTimes: CollectorTimes = {
  intervalMs: 5_000,
  leaseMs: 15_000,
  retryMs: { first: 1_000, cap: 30_000, endingCap: 3_000 },
  visitMs: 300_000,
  resyncMs: 30_000,
}

export type CollectorOptions = Readonly<{
  times?: CollectorTimes
  /** Maximum number of instances from which files are fetched at the same time. */
  parallel?: number
}>

type CollectorDeps = RecordingFetcherDeps &
  Readonly<{
    log: { warn(fields: object, text: string): void; info(fields: object, text: string): void }
  }>

/**
 * True if the list of recorders, `isEnding`, or the health of the recording has changed. After such a change, files are fetched
 * from the instance at once.
 */
function isNews(before: ObservedCapture | undefined, now: ObservedCapture | undefined): boolean {
  return (
    before?.isEnding !== now?.isEnding ||
    !isDeepStrictEqual(before?.recorders, now?.recorders) ||
    before?.health?.isRecording !== now?.health?.isRecording
  )
}

/**
 * Fetches the finished segments of the recorders and stores them. Several processes may run a collector. A lease in the database
 * assigns each instance to one process. Even two concurrent fetches are safe, because a repeated step has no further effect.
 */
export function createCaptureCollector(deps: CollectorDeps, { times = defaultTimes, parallel = 4 }: CollectorOptions = {}) {
  const { db, source, clock, metrics, log } = deps
  const repository = createCollectionRepository(db)
  const collect = createRecordingFetcher(deps)
  const holder = randomUUID()
  const stop = new AbortController()
  /** Maximum number of concurrent fetches from instances whose last fetch failed. */
  const maxFailing = Math.max(1, Math.floor(parallel / 2))

  const waiting = new Set<string>()
  const active = new Map<string, Promise<void>>()
  const timers = new Map<string, NodeJS.Timeout>()
  const failures = new Map<string, number>()
  const lastSeen = new Map<string, ObservedCapture>()

  /** Renews the lease while `work` runs, and aborts the work if the lease is lost. */
  const underLease = async (id: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    const lost = new AbortController()
    const prolong = async (): Promise<void> => {
      const hasLease = await repository.lease(id, holder, times.leaseMs).catch(() => true)
      if (!hasLease) lost.abort(new Error('Another process has taken over'))
    }
    const timer = setInterval(() => void prolong(), times.leaseMs / 3)
    try {
      await work(AbortSignal.any([stop.signal, lost.signal, AbortSignal.timeout(times.visitMs)]))
    } finally {
      clearInterval(timer)
    }
  }

  const work = async (instance: CapturedInstance): Promise<void> => {
    const observed = source.find(instance.id)
    if (!observed) return collect.conclude(instance)
    // The runtime lists no healthy recorder. The files remain in the pods until the runtime lists a healthy recorder.
    if (observed.recorders.length === 0) return
    await underLease(instance.id, (signal) => collect.visit(instance, observed, signal))
  }

  /**
   * Fetches the finished recordings of an instance if this process gets the lease.
   * @returns the delay until the next fetch in ms, or undefined if no further fetch is needed
   */
  const visit = async (id: string): Promise<number | undefined> => {
    const observed = source.find(id)
    if (observed?.isReleased) return undefined
    if (!(await repository.lease(id, holder, times.leaseMs))) {
      // Either another process has the lease, or the instance was deleted. The recordings of a deleted instance are not needed.
      if (observed?.isEnding && !(await repository.findInstance(id))) await source.release(id, clock.now())
      return observed ? times.intervalMs : undefined
    }
    const instance = await repository.findInstance(id)
    if (instance) await work(instance)
    return observed ? times.intervalMs : undefined
  }

  const retryAfterMs = (id: string): number => {
    const count = (failures.get(id) ?? 0) + 1
    failures.set(id, count)
    const cap = source.find(id)?.isEnding ? times.retryMs.endingCap : times.retryMs.cap
    return Math.min(cap, times.retryMs.first * 2 ** Math.min(count - 1, 20)) * (0.5 + Math.random() / 2)
  }

  const attempt = async (id: string): Promise<void> => {
    let againAfterMs: number | undefined
    try {
      againAfterMs = await visit(id)
      failures.delete(id)
    } catch (error) {
      if (stop.signal.aborted) return
      metrics.failures.inc()
      log.warn({ err: error, instanceId: id }, 'Could not fetch recordings')
      await repository.noteFailure(id, clock.now()).catch(() => undefined)
      againAfterMs = retryAfterMs(id)
    }
    if (againAfterMs === undefined) failures.delete(id)
    else if (!stop.signal.aborted) timers.set(id, setTimeout(enqueue, againAfterMs, id))
  }

  /**
   * Returns the next instance to fetch from. Ending instances have priority, because ending pods soon disappear. Instances whose
   * last fetch failed have no priority, and use at most half of the parallel fetches.
   */
  const nextId = (): string | undefined => {
    const isFailing = (id: string): boolean => failures.has(id)
    const mayRetry = [...active.keys()].filter(isFailing).length < maxFailing
    const free = [...waiting].filter((id) => !active.has(id) && (mayRetry || !isFailing(id)))
    return free.find((id) => source.find(id)?.isEnding && !isFailing(id)) ?? free[0]
  }

  const pump = (): void => {
    for (let id = nextId(); id !== undefined; id = nextId()) {
      if (active.size >= parallel || stop.signal.aborted) return
      const visited = id
      waiting.delete(visited)
      const ended = attempt(visited).finally(() => {
        active.delete(visited)
        pump()
      })
      active.set(visited, ended)
    }
  }

  const enqueue = (id: string): void => {
    if (stop.signal.aborted) return
    clearTimeout(timers.get(id))
    timers.delete(id)
    waiting.add(id)
    pump()
  }

  const follow = (id: string): void => {
    const now = source.find(id)
    const hasNews = isNews(lastSeen.get(id), now)
    if (now) lastSeen.set(id, now)
    else lastSeen.delete(id)
    if (hasNews) enqueue(id)
  }

  const resync = async (): Promise<void> => {
    const known = source.list()
    if (!known) return
    const uncollected = (await repository.listUncollected()).filter((id) => !source.find(id))
    for (const id of [...known.map((each) => each.id), ...uncollected]) if (!timers.has(id) && !active.has(id)) enqueue(id)
  }

  return {
    /**
     * Schedules a fetch from each instance that has no scheduled fetch yet. `start` calls this at intervals, because events may be
     * missed.
     */
    resync,
    /** Starts the collector. @returns a function that stops the collector and aborts the fetches in progress */
    start(): () => Promise<void> {
      const unwatch = source.watch(follow)
      let resyncing: Promise<void> = Promise.resolve()
      const look = (): void => {
        resyncing = resync().catch((error: unknown) => {
          if (!stop.signal.aborted) log.warn({ err: error }, 'Could not list the recordings')
        })
      }
      look()
      const timer = setInterval(look, times.resyncMs)
      return async () => {
        stop.abort(new Error('The collector is stopping'))
        unwatch()
        clearInterval(timer)
        for (const each of timers.values()) clearTimeout(each)
        await Promise.allSettled([resyncing, ...active.values()])
        await repository.endLeases(holder).catch(() => undefined)
      }
    },
  }
}
