import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseUnavailable } from './database-error.ts'

export interface Patience {
  /** A pause of the database is waited out for so long, counted from its beginning and for each call. */
  readonly waitMs: number
  /** So many wait at most; whoever comes then is told at once. */
  readonly mostWaiting: number
  /** So long may something wait for a connection before somebody looks whether the database is there at all. */
  readonly unsentMs: number
}

export const defaultPatience: Patience = { waitMs: 15_000, mostWaiting: 2_000, unsentMs: 3_000 }

const firstPauseMs = 50
const longestPauseMs = 1_000
/** Those who waited come back over this time and not in one moment. */
const spreadMs = 100

export interface OutageLog {
  warn(fields: object, text: string): void
  info(fields: object, text: string): void
}

interface UnderWay {
  readonly beganAtMs: number
  readonly cause: unknown
  /** Fulfilled when the database is back, or nobody wants to know any more. */
  readonly back: Promise<void>
}

/**
 * What is known of the database's absence, shared by all calls: one of them notices it, one probe looks for the end of it, all
 * others wait for that. A long one is answered at once until the probe succeeds.
 * @param probe fulfils when the database takes statements
 */
export const createOutage = (
  probe: () => Promise<void>,
  { waitMs, mostWaiting }: Pick<Patience, 'waitMs' | 'mostWaiting'>,
  log?: OutageLog,
) => {
  const stop = new AbortController()
  let underWay: UnderWay | undefined
  let waiting = 0

  const untilBack = async (beganAtMs: number): Promise<void> => {
    for (let pauseMs = firstPauseMs; !stop.signal.aborted; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
      try {
        await probe()
        break
      } catch {
        await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal: stop.signal }).catch(() => undefined)
      }
    }
    underWay = undefined
    if (!stop.signal.aborted) log?.info({ awayMs: Math.round(performance.now() - beganAtMs) }, 'The database is back')
  }

  const outage = {
    /** Somebody found the database away. @param cause an error without values */
    begin(cause: unknown): void {
      if (underWay || stop.signal.aborted) return
      const beganAtMs = performance.now()
      log?.warn({ err: cause }, 'Lost the database, waiting until it is back')
      underWay = { beganAtMs, cause, back: untilBack(beganAtMs) }
    },

    /**
     * Waits until the database is back.
     * @returns undefined at once while it is there
     * @param untilMs by the monotonic clock; no longer than this
     * @throws DatabaseUnavailable when it stays away, or too many wait
     */
    wait(untilMs = Number.POSITIVE_INFINITY): Promise<void> | undefined {
      if (!underWay) return undefined
      const { beganAtMs, cause, back } = underWay
      const leftMs = Math.min(untilMs, beganAtMs + waitMs) - performance.now()
      if (leftMs <= 0 || waiting >= mostWaiting || stop.signal.aborted) return Promise.reject(new DatabaseUnavailable(cause))
      waiting += 1
      const given = new AbortController()
      const tooLong = delay(leftMs, undefined, { signal: given.signal }).then(
        () => Promise.reject(new DatabaseUnavailable(cause)),
        () => undefined,
      )
      return Promise.race([back, tooLong])
        .finally(() => {
          waiting -= 1
          given.abort()
        })
        .then(() => delay(Math.random() * spreadMs))
    },

    /** Whoever waits is told that there will be no database any more. */
    close: (): void => stop.abort(),
  }
  return outage
}

export type Outage = ReturnType<typeof createOutage>
