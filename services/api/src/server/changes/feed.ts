import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@capstan/db/client'
import { type ChangeSubject, createChangeRepository } from './repository.ts'

/**
 * Maximum time between two reads of changes, in ms. After a longer time all caches are cleared, because changes may have been
 * deleted before they were read.
 */
const maxUnreadMs = 5 * 60_000

export type ChangeFeedOptions = Readonly<{
  db: Database
  /** Kind of changes to read. Default: all except scoreboard changes. */
  subject?: ChangeSubject
  /** Function that waits before the next SQL statement. It is called only if several calls shared the last SQL statement. */
  pause?: () => Promise<void>
}>

export type ChangeListener = (keys: readonly string[] | undefined) => void

/**
 * Reads changes of the rows that this process caches. The database writes each change to the table `changes`, in the transaction
 * that causes the change. A call therefore sees every earlier commit, on every replica and without Redis.
 */
export function createChangeFeed({ db, subject = 'others', pause = () => sleep(1) }: ChangeFeedOptions) {
  const repository = createChangeRepository(db, subject)
  const listeners: ChangeListener[] = []
  let snapshot: string | undefined
  let seenAtMs = Number.NEGATIVE_INFINITY
  let generation = 0
  let running: Promise<void> | undefined
  /** Next read of changes, which has not started yet. All calls that arrive before its start wait for this read. */
  let gathering: Promise<void> | undefined
  let gathered = 0
  let served = 0

  const notify = (keys: readonly string[] | undefined): void => {
    generation += 1
    for (const listener of listeners) listener(keys)
  }

  const read = async (): Promise<void> => {
    const startedAtMs = performance.now()
    try {
      const since = await repository.readSince(snapshot)
      const isKnown = snapshot !== undefined && since.isLater && startedAtMs - seenAtMs < maxUnreadMs
      snapshot = since.snapshot
      seenAtMs = startedAtMs
      if (!isKnown) notify(undefined)
      else if (since.keys?.length !== 0) notify(since.keys)
    } catch (error) {
      snapshot = undefined
      notify(undefined)
      throw error
    }
  }

  /** Reads the changes once for all waiting calls. */
  const gather = async (): Promise<void> => {
    if (running) await running.catch(() => undefined)
    else await immediate()
    if (served > 1) await pause()
    gathering = undefined
    served = gathered
    gathered = 0
    running = read().finally(() => {
      running = undefined
    })
    await running
  }

  return {
    /** Number of notifications so far. If this number grows while a caller loads data, the data may be outdated. */
    get generation(): number {
      return generation
    },
    /** First transaction number that was not yet assigned when changes were last read. */
    get horizon(): number {
      return Number(snapshot?.split(':')[1] ?? 0)
    },
    listen(listener: ChangeListener): void {
      listeners.push(listener)
    },
    /**
     * Waits until the feed has read all changes that were committed before the call.
     * @throws DatabaseUnavailable
     */
    catchUp(): Promise<void> {
      gathered += 1
      gathering ??= gather()
      return gathering
    },
    prune: (now: Date): Promise<void> => repository.deleteBefore(new Date(now.getTime() - 12 * maxUnreadMs)),
  }
}

export type ChangeFeed = ReturnType<typeof createChangeFeed>
