import { setTimeout as delay } from 'node:timers/promises'
import { phaseOf } from '@capstan/contract/phases'
import type { Database } from '@capstan/db/client'
import type { Clock } from '../http/clock.ts'
import { type Board, createBoard, type KeptBoard } from './board.ts'
import type { BoardMaker } from './board-maker.ts'
import { scoreboardRepository } from './repository.ts'

export type { Board } from './board.ts'

export interface ScoreboardTimings {
  /** At most one rebuild of a game within this time. */
  readonly rebuildIntervalMs: number
  /** How often changes announced by other processes are looked for. */
  readonly versionCheckMs: number
  /** A board that is read is built from everything after this time, announced change or not: an announcement may be lost in a crash. */
  readonly maxAgeMs: number
  /** The same for a game that is over: many may be read, each is built from all of its solves, and few of them ever change. */
  readonly finishedMaxAgeMs: number
  /** A board that nobody reads for this long is forgotten. */
  readonly keptUnreadMs: number
  /** What players say of themselves makes everybody who watches read the whole board: at most once in this time in a game. */
  readonly minorIntervalMs: number
}

const defaultTimings: ScoreboardTimings = {
  rebuildIntervalMs: 1_000,
  versionCheckMs: 1_000,
  maxAgeMs: 30_000,
  finishedMaxAgeMs: 5 * 60_000,
  keptUnreadMs: 15 * 60_000,
  minorIntervalMs: 10_000,
}

/** Games that start within this time have their board built before anybody asks. */
const prebuiltMs = 8 * 60_000

export interface ScoreboardServiceDeps {
  readonly db: Database
  readonly clock: Clock
  /** Stays the caller's to close. */
  readonly boardMaker: BoardMaker
  /** Told of rebuilds that fail; the next change or reader tries again. */
  readonly log: { warn(fields: object, text: string): void }
  readonly timings?: Partial<ScoreboardTimings>
  /** Called after each rebuild, for metrics. */
  readonly onRebuilt?: (durationMs: number) => void
}

interface Entry {
  board: KeptBoard | undefined
  /** The board before: its memory is taken back for the next one, by when no call is at it any more. */
  replaced: KeptBoard | undefined
  spare: SharedArrayBuffer | undefined
  isStale: boolean
  builtAtMs: number
  /** When everything was last read. */
  builtWholeAtMs: number
  readAtMs: number
  rebuild: Promise<void> | undefined
  /** Why the last rebuild has failed. */
  failure: unknown
}

interface Pause {
  isRepeated: boolean
}

interface Announcement extends Pause {
  /** All that is to be announced next is. */
  isMinor: boolean
}

/**
 * The scoreboards of all games as ready bytes. A change marks a board stale; then it is built anew in the background, one build
 * at a time per game and at most one a second; readers get the last board and wait only for the very first.
 *
 * Several processes: a change adds one to the game's version in the database, every process compares versions once a second.
 */
export const createScoreboardService = (deps: ScoreboardServiceDeps) => {
  const { db, clock, boardMaker, log } = deps
  const timings = { ...defaultTimings, ...deps.timings }
  const repository = scoreboardRepository(db)
  const entries = new Map<number, Entry>()
  const announcements = new Map<number, Announcement>()
  /** Games whose minor change was just announced. */
  const pauses = new Map<number, Pause>()
  const stop = new AbortController()
  const nowMs = () => performance.now()
  const maxAgeOf = ({ board }: Entry): number =>
    board && phaseOf(board.times, clock.now()) === 'ended' ? timings.finishedMaxAgeMs : timings.maxAgeMs

  const build = async (gameId: number, entry: Entry): Promise<void> => {
    entry.isStale = false
    const startedAtMs = nowMs()
    entry.builtAtMs = startedAtMs
    const { board } = entry
    const known = board && { ...board.history, etag: board.answer.etag }
    const isWhole = !board || startedAtMs - entry.builtWholeAtMs > maxAgeOf(entry)
    entry.spare = entry.replaced?.answer.takeBack() ?? entry.spare
    entry.replaced = undefined
    const made = await boardMaker.make({ gameId, now: clock.now(), isWhole, known, spare: entry.spare })
    if (!made) {
      entry.board = undefined
      entries.delete(gameId)
      return
    }
    if (isWhole) entry.builtWholeAtMs = startedAtMs
    entry.board = createBoard(made, board)
    if (made.content) {
      entry.spare = undefined
      entry.replaced = board
    }
    deps.onRebuilt?.(nowMs() - startedAtMs)
  }

  /** Builds until the board is no longer stale, with the least distance between two builds. */
  const rebuildUntilFresh = async (gameId: number, entry: Entry): Promise<void> => {
    while (entry.isStale && !stop.signal.aborted) {
      const waitMs = entry.builtAtMs + timings.rebuildIntervalMs - nowMs()
      if (waitMs > 0) await delay(waitMs, undefined, { signal: stop.signal, ref: false })
      await build(gameId, entry)
    }
  }

  const refresh = (gameId: number, entry: Entry): void => {
    entry.isStale = true
    if (entry.rebuild || stop.signal.aborted) return
    entry.rebuild = rebuildUntilFresh(gameId, entry)
      .catch((error: unknown) => {
        if (stop.signal.aborted) return
        entry.isStale = true
        entry.failure = error
        log.warn({ err: error, gameId }, 'Could not rebuild a scoreboard')
      })
      .finally(() => {
        entry.rebuild = undefined
      })
  }

  const createEntry = (gameId: number): Entry => {
    const entry: Entry = {
      board: undefined,
      replaced: undefined,
      spare: undefined,
      isStale: true,
      builtAtMs: Number.NEGATIVE_INFINITY,
      builtWholeAtMs: Number.NEGATIVE_INFINITY,
      readAtMs: nowMs(),
      rebuild: undefined,
      failure: undefined,
    }
    entries.set(gameId, entry)
    return entry
  }

  /** Many changes at once are announced together: one announcement runs, one more waits for what came meanwhile. */
  const announce = async (gameId: number, announcement: Announcement): Promise<void> => {
    do {
      const { isMinor } = announcement
      Object.assign(announcement, { isRepeated: false, isMinor: true })
      try {
        // No place follows from names, and a new version has the kept standings of a finished game taken anew: a team may have hundreds.
        await repository.bump(gameId, isMinor ? clock.now() : undefined)
      } catch (error) {
        log.warn({ err: error, gameId }, 'Could not announce a change of a scoreboard')
      }
      const entry = entries.get(gameId)
      if (entry) {
        entry.builtWholeAtMs = Number.NEGATIVE_INFINITY
        refresh(gameId, entry)
      }
    } while (announcement.isRepeated && !stop.signal.aborted)
    announcements.delete(gameId)
  }

  /** Once the pause is over, what came meanwhile. */
  const announceLater = async (gameId: number, pause: Pause): Promise<void> => {
    await delay(timings.minorIntervalMs, undefined, { signal: stop.signal, ref: false })
    pauses.delete(gameId)
    if (pause.isRepeated) service.markStale(gameId, { isMinor: true })
  }

  const checkVersions = async (): Promise<void> => {
    const unreadBeforeMs = nowMs() - timings.keptUnreadMs
    for (const [gameId, { readAtMs }] of entries) if (readAtMs < unreadBeforeMs) entries.delete(gameId)
    if (entries.size === 0) return
    const checked = [...entries]
    const versions = await repository.listVersions(checked.map(([gameId]) => gameId))
    for (const [gameId, entry] of checked) {
      if (entry.rebuild) continue
      const isOld = entry.readAtMs > entry.builtWholeAtMs && nowMs() - entry.builtWholeAtMs > maxAgeOf(entry)
      if (entry.isStale || isOld || versions.get(gameId) !== entry.board?.history.version) refresh(gameId, entry)
    }
  }

  const watchVersions = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await delay(timings.versionCheckMs, undefined, { signal: stop.signal, ref: false })
      await checkVersions().catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn({ err: error }, 'Could not compare the versions of scoreboards')
      })
    }
  }
  let watching: Promise<void> | undefined

  const service = {
    /** Starts to look for changes announced by other processes. */
    start(): void {
      watching ??= watchVersions().catch(() => undefined)
    },
    /**
     * Call after the commit of a change that the board shows. Returns at once and never throws.
     * @param options.isAnnounced the change itself has raised the game's version, in its transaction
     * @param options.isMinor a name or a few words: these wait for each other
     */
    markStale(gameId: number, { isAnnounced = false, isMinor = false }: { isAnnounced?: boolean; isMinor?: boolean } = {}): void {
      if (stop.signal.aborted) return
      if (isMinor) {
        const pause = pauses.get(gameId)
        if (pause) {
          pause.isRepeated = true
          return
        }
        const begun = { isRepeated: false }
        pauses.set(gameId, begun)
        void announceLater(gameId, begun).catch(() => undefined)
      }
      if (isAnnounced) {
        const entry = entries.get(gameId)
        if (entry) refresh(gameId, entry)
        return
      }
      const running = announcements.get(gameId)
      if (running) {
        running.isRepeated = true
        running.isMinor &&= isMinor
        return
      }
      const announcement = { isRepeated: false, isMinor }
      announcements.set(gameId, announcement)
      void announce(gameId, announcement)
    },
    listGamesOf: (...userIds: string[]): Promise<number[]> => repository.listGamesOf(userIds),
    /** The last built board, if it is at hand: for who has another way where it is not. */
    ready(gameId: number): Board | undefined {
      const entry = entries.get(gameId)
      if (entry) entry.readAtMs = nowMs()
      return entry?.board
    },
    /** The last built board; undefined: there is no such game. Waits only for the first build. @throws when that fails */
    async read(gameId: number): Promise<Board | undefined> {
      const entry = entries.get(gameId) ?? createEntry(gameId)
      entry.readAtMs = nowMs()
      if (entry.board) return entry.board
      if (!entry.rebuild) refresh(gameId, entry)
      await entry.rebuild
      if (!entry.board && entries.get(gameId) === entry)
        throw new Error(`The scoreboard of game ${gameId} could not be built`, { cause: entry.failure })
      return entry.board
    },
    /** Takes the memory of a board back that was read for once; the next reader has it built anew. */
    forget(gameId: number): void {
      if (!entries.get(gameId)?.rebuild) entries.delete(gameId)
    },
    /** Builds the boards of games that start soon. Rules: docs/contract/scoreboard-and-events.md#building. */
    async prebuild(): Promise<void> {
      const now = clock.now()
      for (const gameId of await repository.listStarting(now, new Date(now.getTime() + prebuiltMs))) await service.read(gameId)
    },
    async close(): Promise<void> {
      stop.abort()
      await watching
      await Promise.all([...entries.values()].map(({ rebuild }) => rebuild))
    },
  }
  return service
}

export type ScoreboardService = ReturnType<typeof createScoreboardService>
