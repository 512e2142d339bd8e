import { setTimeout as delay } from 'node:timers/promises'
import type { BoardView } from '@capstan/contract/board-view'
import { Limits } from '@capstan/contract/limits'
import { isFrozen } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { Database } from '@capstan/db/client'
import { LRUCache } from 'lru-cache'
import { createChangeFeed } from '../../server/changes/feed.ts'
import { createFairQueue, type QueueCaller } from '../../server/fair-queue.ts'
import type { Clock } from '../../server/http/clock.ts'
import { ReadyAnswer } from '../../server/http/ready-answer.ts'
import { type Board, type BuiltBoard, createBoard, parseFeedPosition } from './board.ts'
import type { BoardMaker, KnownBoards, MadeBoard, PastBoardRequest } from './board-maker.ts'
import { createScoreboardRepository } from './repository.ts'

export type { Board } from './board.ts'

export type ScoreboardTimings = Readonly<{
  /** Pause from the end of the builds until the next poll of the change feed, in ms. */
  pauseMs: number
  /** Time after which a board is dropped if no client reads it, in ms. */
  maxUnreadMs: number
}>

const defaultTimings: ScoreboardTimings = { pauseMs: 1_000, maxUnreadMs: 15 * 60_000 }

/** Time before the start of a game at which its board is built in advance, in ms. */
const prebuildAheadMs = 8 * 60_000

/**
 * Limits of the cache of past boards: total size in bytes, and lifetime in ms. A cached board may show old names until its lifetime
 * ends.
 */
const pastBoards = { maxSize: 64 * 1024 * 1024, ttl: 60_000 }

/**
 * Maximum total size of the cached boards of finished games, in bytes. Without the limit, a visitor who opens the boards of many games
 * could fill the memory.
 */
const maxFinishedBytes = 64 * 1024 * 1024

/** Interval between the instants of past boards. Clients that request the same minute share one board. */
const pastStepMs = 60_000

export type ScoreboardServiceDeps = Readonly<{
  db: Database
  clock: Clock
  /** Builder of the boards. The caller must close it. */
  boardMaker: BoardMaker
  /** Log for failed builds. A failed build is retried. */
  log: { warn(fields: object, text: string): void }
  timings?: Partial<ScoreboardTimings>
  /** Function for metrics that is called after each build with the duration of the build. */
  onRebuilt?: (durationMs: number) => void
}>

/** Boards of both views. Outside a freeze they are the same object. */
export type BoardViews = Readonly<Record<BoardView, Board>>

type BuiltViews = Readonly<Record<BoardView, BuiltBoard>>

function createViews({ live, frozen }: MadeBoard, before: BuiltViews | undefined): BuiltViews {
  const board = createBoard(live, before?.live)
  return { live: board, public: frozen ? createBoard(frozen, before?.public) : board }
}

function knownOf({ live, public: shown }: BuiltViews): KnownBoards {
  return { live: live.answer.etag, frozen: shown === live ? undefined : shown.answer.etag }
}

function sizeOf({ live, public: shown }: BuiltViews): number {
  return live.answer.size + (shown === live ? 0 : shown.answer.size)
}

/**
 * True if the passage of time has changed the boards since they were built: by a freeze, by a reveal, or by the end of the game,
 * which unlocks all challenges.
 */
function isOutdated({ live: { times, locks }, public: { frozenAt } }: BuiltViews, now: Date): boolean {
  if (locks.size > 0 && now >= times.end) return true
  if (frozenAt === null) return isFrozen(now, times)
  return times.revealed !== null && now >= times.revealed
}

interface Entry {
  boards: BuiltViews | undefined
  /** True if the feed has reported a change of the game since the last build began. */
  isStale: boolean
  /** True if the next build must read all records, because the feed may have missed changes. */
  isFull: boolean
  readAtMs: number
  build: Promise<void> | undefined
}

/**
 * Function that receives the ids of the games whose boards changed. A change of names alone is not reported. If the ids are
 * undefined, any board may have changed.
 */
type BoardListener = (gameIds: readonly number[] | undefined) => void

/**
 * Creates the service of all games' scoreboards, which are stored as serialized bytes. Database triggers record each change in
 * the change feed. Each process polls the feed one second after its last builds, and rebuilds the boards for which the feed
 * reports changes. Readers get the last board at once, and wait only for the first build. ADR 24.
 */
export function createScoreboardService(deps: ScoreboardServiceDeps) {
  const { db, clock, boardMaker, log } = deps
  const timings = { ...defaultTimings, ...deps.timings }
  const repository = createScoreboardRepository(db)
  const feed = createChangeFeed({ db, subject: 'boards' })
  const entries = new Map<number, Entry>()
  const listeners: BoardListener[] = []
  /** Past boards are built one at a time, so that they delay present boards by at most one build. */
  const inTurn = createFairQueue({
    running: 1,
    maxWaiting: Limits.maxWaitingPastBoards,
    maxWaitMs: Limits.maxPastBoardWaitSeconds * 1000,
    refuse: () => new Problem('request.rate-limited', { retryAfterSeconds: Limits.maxPastBoardWaitSeconds }),
  })
  const past = new LRUCache<string, ReadyAnswer, PastBoardRequest & { readonly caller: QueueCaller; isStarted: boolean }>({
    ...pastBoards,
    sizeCalculation: ({ size }) => size,
    fetchMethod: async (_key, _stale, { context }) => {
      context.isStarted = true
      const { caller, ...order } = context
      const content = await inTurn(caller, () => boardMaker.makePast(order))
      return content && new ReadyAnswer(content.bytes, content.etag)
    },
  })
  const stop = new AbortController()
  const nowMs = () => performance.now()

  feed.listen((keys) => {
    const words = keys?.map((key) => key.split(' '))
    if (!words) for (const entry of entries.values()) Object.assign(entry, { isStale: true, isFull: true })
    else
      for (const [, gameId] of words) {
        const entry = entries.get(Number(gameId))
        if (entry) entry.isStale = true
      }
    const gameIds = words?.filter(([, , , name]) => name === undefined).map(([, gameId]) => Number(gameId))
    if (!gameIds || gameIds.length > 0) for (const listener of listeners) listener(gameIds && [...new Set(gameIds)])
  })

  /** Stores new unlocks. The change feed then announces them to every process. @returns false if the caller must retry */
  const storeUnlocks = async (gameId: number, { unlocks }: MadeBoard): Promise<boolean> => {
    if (unlocks.length === 0) return true
    try {
      await repository.insertUnlocks(gameId, unlocks, clock.now())
      return true
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ err: error, gameId }, 'Could not store unlocked challenges')
      return false
    }
  }

  /**
   * Drops the boards of finished games that clients have not read for the longest time, if the boards are too large in total. A board
   * is not dropped during its build, because the builds of a game must not overlap.
   * @param built entry whose build has just ended
   */
  const dropSurplus = (built: Entry, now: Date): void => {
    let bytes = 0
    for (const [gameId, entry] of [...entries].sort(([, one], [, other]) => other.readAtMs - one.readAtMs)) {
      const { boards, build } = entry
      if (!boards || now < boards.live.times.end) continue
      const isSurplus = bytes > 0 && bytes + sizeOf(boards) > maxFinishedBytes
      if (isSurplus && (!build || entry === built)) entries.delete(gameId)
      else bytes += sizeOf(boards)
    }
  }

  const make = async (gameId: number, entry: Entry): Promise<void> => {
    const startedAtMs = nowMs()
    try {
      // Poll the feed before a build that reads all records, because the first poll reports every board as changed. If the first
      // poll ran after the build, all clients would have to read the full board.
      if (entry.isFull) await feed.catchUp()
      const { boards, isFull } = entry
      Object.assign(entry, { isStale: false, isFull: false })
      const made = await boardMaker.make({ gameId, now: clock.now(), known: isFull ? undefined : boards && knownOf(boards) })
      if (!made) {
        entry.boards = undefined
        entries.delete(gameId)
        return
      }
      if (!(await storeUnlocks(gameId, made))) Object.assign(entry, { isStale: true, isFull: true })
      entry.boards = createViews(made, boards)
      dropSurplus(entry, clock.now())
      // A client's request returns all changes since `position`, so these changes would be sent again and again. Build the board
      // again to raise `position`.
      const { position, floor, changed } = made.live.history
      if (floor > position || changed.values().some((at) => at >= position)) entry.isStale = true
      deps.onRebuilt?.(nowMs() - startedAtMs)
    } catch (error) {
      Object.assign(entry, { isStale: true, isFull: true })
      if (!stop.signal.aborted) log.warn({ err: error, gameId }, 'Could not build a scoreboard')
      throw error
    }
  }

  /** Builds a board, or joins the running build. */
  const build = (gameId: number, entry: Entry): Promise<void> => {
    entry.build ??= make(gameId, entry).finally(() => {
      entry.build = undefined
    })
    return entry.build
  }

  const createEntry = (gameId: number): Entry => {
    // The next poll drops the entry, unless a client has read the board or a build of the board is running.
    const entry: Entry = { boards: undefined, isStale: true, isFull: true, readAtMs: -Infinity, build: undefined }
    entries.set(gameId, entry)
    return entry
  }

  const rebuildStale = async (): Promise<void> => {
    const unreadBeforeMs = nowMs() - timings.maxUnreadMs
    for (const [gameId, { readAtMs, build }] of entries) if (readAtMs < unreadBeforeMs && !build) entries.delete(gameId)
    if (entries.size === 0 && listeners.length === 0) return
    await feed.catchUp()
    const now = clock.now()
    for (const entry of entries.values()) if (entry.boards && isOutdated(entry.boards, now)) entry.isStale = true
    await Promise.allSettled([...entries].map(([gameId, entry]) => entry.isStale && build(gameId, entry)))
  }

  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await delay(timings.pauseMs, undefined, { signal: stop.signal, ref: false })
      await rebuildStale().catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn({ err: error }, 'Could not poll the change feed for scoreboards')
      })
    }
  }
  let watching: Promise<void> | undefined

  const service = {
    start(): void {
      watching ??= watch().catch(() => undefined)
    },
    listen(listener: BoardListener): void {
      listeners.push(listener)
    },
    ready(gameId: number, view: BoardView): Board | undefined {
      const entry = entries.get(gameId)
      if (entry) entry.readAtMs = nowMs()
      return entry?.boards?.[view]
    },
    /**
     * Returns the last built board. Waits only for the first build.
     * @returns undefined if the game does not exist
     * @throws if the first build fails
     */
    async read(gameId: number, view: BoardView): Promise<Board | undefined> {
      return (await service.readViews(gameId))?.[view]
    },
    /**
     * Returns the last built boards of both views. Waits only for the first build.
     * @returns undefined if the game does not exist
     * @throws if the first build fails
     */
    async readViews(gameId: number): Promise<BoardViews | undefined> {
      const entry = entries.get(gameId) ?? createEntry(gameId)
      entry.readAtMs = nowMs()
      if (entry.boards) return entry.boards
      await build(gameId, entry).catch((error: unknown) => {
        throw new Error(`Could not build the scoreboard of game ${gameId}`, { cause: error })
      })
      return entry.boards
    },
    /**
     * Returns boards that include every change that was committed before the call. Builds them only if the change feed reports a
     * change since the last build. Calls that arrive during a build share the next build. If no client reads the game, the boards
     * are cached only until the next poll of the change feed.
     */
    async readCurrent(gameId: number): Promise<BoardViews | undefined> {
      await feed.catchUp()
      const entry = entries.get(gameId) ?? createEntry(gameId)
      if (entry.build) await entry.build.catch(() => undefined)
      const isCurrent = entry.boards && !entry.isStale && !isOutdated(entry.boards, clock.now())
      if (!isCurrent) await build(gameId, entry)
      return entry.boards
    },
    /**
     * Returns the changes of a board since a version. Rules: docs/contract/scoreboard-and-events.md#changes.
     * @param since version that the client sent
     */
    async changesSince(board: Board, since: string): Promise<ReadyAnswer> {
      const position = parseFeedPosition(since)
      if (position !== undefined && position > Math.max(board.position, feed.horizon)) await feed.catchUp()
      // A restore of the database can reset the transaction numbers. A client with a version above all transaction numbers must
      // read the full board.
      const isPossible = position !== undefined && position <= Math.max(board.position, feed.horizon)
      return board.changesSince(isPossible ? position : undefined)
    },
    /**
     * Returns the board at a past instant, rounded down to a whole minute. If the given board is frozen and the instant is after
     * the freeze, returns the board at the freeze.
     * @param caller callers take turns, so many builds for one caller do not delay the other callers
     * @returns undefined if the game did not exist
     * @throws Problem `request.rate-limited` if too many past boards wait, or if this board has waited too long
     */
    async readPast(gameId: number, board: Board, instant: Date, caller: QueueCaller): Promise<ReadyAnswer | undefined> {
      const latestMs = Math.min(instant.getTime(), (board.frozenAt ?? clock.now()).getTime())
      const atMs = Math.max(board.times.start.getTime(), Math.floor(latestMs / pastStepMs) * pastStepMs)
      const context = { gameId, instant: new Date(atMs), caller, isStarted: false }
      const fetch = () => past.fetch(`${gameId} ${atMs}`, { context })
      // If this call shared the build of another caller, and that build was refused, start a build for this caller.
      return fetch().catch((error: unknown) => {
        if (context.isStarted) throw error
        return fetch()
      })
    },
    /** Builds the boards of games that start soon. Rules: docs/contract/scoreboard-and-events.md#building. */
    async prebuild(): Promise<void> {
      const now = clock.now()
      for (const gameId of await repository.listStarting(now, new Date(now.getTime() + prebuildAheadMs)))
        await service.read(gameId, 'live')
    },
    async close(): Promise<void> {
      stop.abort()
      await watching
      await Promise.allSettled([...entries.values()].map((entry) => entry.build))
    },
  }
  return service
}

export type ScoreboardService = ReturnType<typeof createScoreboardService>
