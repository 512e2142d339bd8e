import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@capstan/db/client'
import { type ChangeSubject, changeRepository } from './repository.ts'

/** A process that has not looked for this long forgets everything: what it missed may have been deleted. */
const mostUnseenMs = 5 * 60_000

export type ChangeFeedOptions = Readonly<{
  db: Database
  /** Default: what concerns no scoreboard. */
  subject?: ChangeSubject
  /** Passes between two statements while many ask: each would serve one or two calls if it followed the last at once. */
  pause?: () => Promise<void>
}>

/** Told what has changed; undefined: perhaps everything. */
export type ChangeListener = (keys: readonly string[] | undefined) => void

/**
 * Tells what has changed of the rows that this process keeps in memory. The database writes changes down in their own transaction
 * (table `changes`), so one that was committed before a call came is known to the call, on every replica and without Redis.
 */
export function createChangeFeed({ db, subject = 'others', pause = () => sleep(1) }: ChangeFeedOptions) {
  const repository = changeRepository(db, subject)
  const listeners: ChangeListener[] = []
  let snapshot: string | undefined
  let seenAtMs = Number.NEGATIVE_INFINITY
  let generation = 0
  let running: Promise<void> | undefined
  /** Not sent yet. */
  let gathering: Promise<void> | undefined
  /** So many wait for the statement that is not sent yet. */
  let gathered = 0
  /** As many as waited for the last one. */
  let served = 0

  const tell = (keys: readonly string[] | undefined): void => {
    generation += 1
    for (const listener of listeners) listener(keys)
  }

  const read = async (): Promise<void> => {
    const startedAtMs = performance.now()
    try {
      const since = await repository.readSince(snapshot)
      const isKnown = snapshot !== undefined && since.isLater && startedAtMs - seenAtMs < mostUnseenMs
      snapshot = since.snapshot
      seenAtMs = startedAtMs
      if (!isKnown) tell(undefined)
      else if (since.keys?.length !== 0) tell(since.keys)
    } catch (error) {
      snapshot = undefined
      tell(undefined)
      throw error
    }
  }

  /** Sends a statement once the last one has its answer, for everybody who has asked until then. */
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
    /** Rises whenever something has changed: what was read before and is stored after may be old. */
    get generation(): number {
      return generation
    },
    /** The lowest number of a transaction that had not begun when the feed last caught up. */
    get horizon(): number {
      return Number(snapshot?.split(':')[1] ?? 0)
    },
    listen(listener: ChangeListener): void {
      listeners.push(listener)
    },
    /**
     * Waits until everything committed before this call is known. Calls of the same moment share a statement, and one that comes
     * while a statement is under way, or in the pause after one that many have shared, waits for the next.
     * @throws DatabaseUnavailable
     */
    catchUp(): Promise<void> {
      gathered += 1
      gathering ??= gather()
      return gathering
    },
    /** Deletes what every process has seen. */
    prune: (now: Date): Promise<void> => repository.deleteBefore(new Date(now.getTime() - 12 * mostUnseenMs)),
  }
}

export type ChangeFeed = ReturnType<typeof createChangeFeed>
