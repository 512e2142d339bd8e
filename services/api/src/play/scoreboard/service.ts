import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@capstan/db/client'
import { createChangeFeed } from '../../server/changes/feed.ts'
import type { Clock } from '../../server/http/clock.ts'
import type { ReadyAnswer } from '../../server/http/ready-answer.ts'
import { type Board, createBoard, type KeptBoard, readPosition } from './board.ts'
import type { BoardMaker } from './board-maker.ts'
import { scoreboardRepository } from './repository.ts'

export type { Board } from './board.ts'

export type ScoreboardTimings = Readonly<{
  /** Pause between the end of the last builds and the next look for changes. */
  pauseMs: number
  /** A board is dropped if it is not read for this time. */
  keptUnreadMs: number
}>

const defaultTimings: ScoreboardTimings = { pauseMs: 1_000, keptUnreadMs: 15 * 60_000 }

/** The boards of games that start within this time are built ahead. */
const prebuiltMs = 8 * 60_000

export type ScoreboardServiceDeps = Readonly<{
  db: Database
  clock: Clock
  /** The caller closes it. */
  boardMaker: BoardMaker
  /** Reports builds that fail; they are retried. */
  log: { warn(fields: object, text: string): void }
  timings?: Partial<ScoreboardTimings>
  /** Called after each build, for metrics. */
  onRebuilt?: (durationMs: number) => void
}>

interface Entry {
  board: KeptBoard | undefined
  /** True if the feed named the game after the last build began. */
  isStale: boolean
  /** True if everything must be read, since the feed may have missed changes. */
  isWhole: boolean
  readAtMs: number
  build: Promise<void> | undefined
}

/** Games whose boards changed, without changes of mere names; undefined: perhaps all games. */
type BoardListener = (gameIds: readonly number[] | undefined) => void

/**
 * Scoreboards of all games as ready bytes. Triggers write each change of a board into the change feed. A second after the last
 * builds ended, every process looks into the feed and builds the boards that it names. Readers get the last board at once and wait
 * only for the first. ADR 24.
 */
export function createScoreboardService(deps: ScoreboardServiceDeps) {
  const { db, clock, boardMaker, log } = deps
  const timings = { ...defaultTimings, ...deps.timings }
  const repository = scoreboardRepository(db)
  const feed = createChangeFeed({ db, subject: 'boards' })
  const entries = new Map<number, Entry>()
  const listeners: BoardListener[] = []
  const stop = new AbortController()
  const nowMs = () => performance.now()

  feed.listen((keys) => {
    const words = keys?.map((key) => key.split(' '))
    if (!words) for (const entry of entries.values()) Object.assign(entry, { isStale: true, isWhole: true })
    else
      for (const [, gameId] of words) {
        const entry = entries.get(Number(gameId))
        if (entry) entry.isStale = true
      }
    const gameIds = words?.filter(([, , , name]) => name === undefined).map(([, gameId]) => Number(gameId))
    if (!gameIds || gameIds.length > 0) for (const listener of listeners) listener(gameIds && [...new Set(gameIds)])
  })

  const make = async (gameId: number, entry: Entry): Promise<void> => {
    const startedAtMs = nowMs()
    const { board, isWhole } = entry
    Object.assign(entry, { isStale: false, isWhole: false })
    try {
      const made = await boardMaker.make({ gameId, now: clock.now(), known: isWhole ? undefined : board?.answer.etag })
      if (!made) {
        entry.board = undefined
        entries.delete(gameId)
        return
      }
      entry.board = createBoard(made, board)
      // A transaction that was open hides later ones from the position. Their rows are sent until a build sees it end.
      const { position, floor, changed } = made.history
      if (floor > position || changed.values().some((at) => at >= position)) entry.isStale = true
      deps.onRebuilt?.(nowMs() - startedAtMs)
    } catch (error) {
      Object.assign(entry, { isStale: true, isWhole: true })
      if (!stop.signal.aborted) log.warn({ err: error, gameId }, 'Could not build a scoreboard')
      throw error
    }
  }

  /** Joins the build that runs. */
  const build = (gameId: number, entry: Entry): Promise<void> => {
    entry.build ??= make(gameId, entry).finally(() => {
      entry.build = undefined
    })
    return entry.build
  }

  const createEntry = (gameId: number): Entry => {
    const entry: Entry = { board: undefined, isStale: true, isWhole: true, readAtMs: nowMs(), build: undefined }
    entries.set(gameId, entry)
    return entry
  }

  const rebuildStale = async (): Promise<void> => {
    const unreadBeforeMs = nowMs() - timings.keptUnreadMs
    for (const [gameId, { readAtMs }] of entries) if (readAtMs < unreadBeforeMs) entries.delete(gameId)
    if (entries.size === 0 && listeners.length === 0) return
    await feed.catchUp()
    await Promise.allSettled([...entries].map(([gameId, entry]) => entry.isStale && build(gameId, entry)))
  }

  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await delay(timings.pauseMs, undefined, { signal: stop.signal, ref: false })
      await rebuildStale().catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn({ err: error }, 'Could not look for changes of scoreboards')
      })
    }
  }
  let watching: Promise<void> | undefined

  const service = {
    /** Starts to look for changes. */
    start(): void {
      watching ??= watch().catch(() => undefined)
    },
    listen(listener: BoardListener): void {
      listeners.push(listener)
    },
    /** Returns the last built board if it is in memory. */
    ready(gameId: number): Board | undefined {
      const entry = entries.get(gameId)
      if (entry) entry.readAtMs = nowMs()
      return entry?.board
    },
    /** Returns the last built board, or undefined if there is no such game. Waits only for the first build. @throws if that fails */
    async read(gameId: number): Promise<Board | undefined> {
      const entry = entries.get(gameId) ?? createEntry(gameId)
      entry.readAtMs = nowMs()
      if (entry.board) return entry.board
      await build(gameId, entry).catch((error: unknown) => {
        throw new Error(`The scoreboard of game ${gameId} could not be built`, { cause: error })
      })
      return entry.board
    },
    /** Builds the board of a game from what is stored now, without storing it in memory. */
    async buildOnce(gameId: number): Promise<Board | undefined> {
      const running = entries.get(gameId)
      if (running?.build) await running.build.catch(() => undefined)
      if (running) {
        await build(gameId, running)
        return running.board
      }
      const made = await boardMaker.make({ gameId, now: clock.now(), known: undefined })
      return made && createBoard(made, undefined)
    },
    /** Rules: docs/contract/scoreboard-and-events.md#changes. @param since version as the client sends it */
    async changesSince(board: Board, since: string): Promise<ReadyAnswer> {
      const position = readPosition(since)
      if (position !== undefined && position > Math.max(board.position, feed.horizon)) await feed.catchUp()
      // After a restore the database numbers transactions lower than clients know.
      const isPossible = position !== undefined && position <= Math.max(board.position, feed.horizon)
      return board.changesSince(isPossible ? position : undefined)
    },
    /** Builds the boards of games that start soon. Rules: docs/contract/scoreboard-and-events.md#building. */
    async prebuild(): Promise<void> {
      const now = clock.now()
      for (const gameId of await repository.listStarting(now, new Date(now.getTime() + prebuiltMs))) await service.read(gameId)
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
