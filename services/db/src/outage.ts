import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseUnavailable } from './database-error.ts'

export type Patience = Readonly<{
  /**
   * Maximum time for which a call waits, in ms. The time starts with the outage, or with the first failure of the call if that
   * failure was earlier.
   */
  waitMs: number
  /** Maximum number of waiting calls. Further calls fail at once. */
  maxWaiting: number
  /** Maximum time for which a statement waits for a connection, in ms. After this time, a probe checks the database. */
  unsentMs: number
}>

export const defaultPatience: Patience = { waitMs: 15_000, maxWaiting: 2_000, unsentMs: 3_000 }

const firstPauseMs = 50
const maxPauseMs = 1_000
/**
 * Maximum random delay of a waiting call after the end of an outage, in ms. The delays prevent all calls from resuming at once
 * and overloading the database.
 */
const spreadMs = 100

export interface OutageLog {
  warn(fields: object, text: string): void
  info(fields: object, text: string): void
}

type CurrentOutage = Readonly<{
  beganAtMs: number
  cause: unknown
  /** Promise that is fulfilled when the database is available again or the client is closed. */
  back: Promise<void>
}>

/**
 * Creates the outage state that all calls share. The first failed call starts an outage. All calls then wait, while a single probe
 * checks regularly whether the database accepts statements. In a long outage, calls fail at once until the probe succeeds.
 * @param probe fulfills if the database accepts statements
 */
export function createOutage(
  probe: () => Promise<void>,
  { waitMs, maxWaiting }: Pick<Patience, 'waitMs' | 'maxWaiting'>,
  log?: OutageLog,
) {
  const stop = new AbortController()
  let current: CurrentOutage | undefined
  let waiting = 0

  const probeUntilBack = async (beganAtMs: number): Promise<void> => {
    for (let pauseMs = firstPauseMs; !stop.signal.aborted; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
      try {
        await probe()
        break
      } catch {
        await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal: stop.signal }).catch(() => undefined)
      }
    }
    current = undefined
    if (!stop.signal.aborted)
      log?.info({ awayMs: Math.round(performance.now() - beganAtMs) }, 'The database can be reached again')
  }

  const outage = {
    /**
     * Records the start of an outage.
     * @param cause error that contains no values
     */
    begin(cause: unknown): void {
      if (current || stop.signal.aborted) return
      const beganAtMs = performance.now()
      log?.warn({ err: cause }, 'Lost the database, reconnecting')
      current = { beganAtMs, cause, back: probeUntilBack(beganAtMs) }
    },

    /**
     * Waits until the outage ends.
     * @param untilMs deadline by the monotonic clock
     * @returns undefined at once if there is no outage
     * @throws DatabaseUnavailable if the outage lasts too long or too many calls wait
     */
    wait(untilMs = Number.POSITIVE_INFINITY): Promise<void> | undefined {
      if (!current) return undefined
      const { beganAtMs, cause, back } = current
      const leftMs = Math.min(untilMs, beganAtMs + waitMs) - performance.now()
      if (leftMs <= 0 || waiting >= maxWaiting || stop.signal.aborted) return Promise.reject(new DatabaseUnavailable(cause))
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

    close: (): void => stop.abort(),
  }
  return outage
}

export type Outage = ReturnType<typeof createOutage>
