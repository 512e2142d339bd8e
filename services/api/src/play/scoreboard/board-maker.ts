import { hasRight, rightsForChallenge } from '@capstan/contract/division-rights'
import { canSubmissionScorePoints, isFrozen } from '@capstan/contract/phases'
import type { BoardChallenge, Scoreboard } from '@capstan/contract/scoreboard'
import { LRUCache } from 'lru-cache'
import { mapChallengeValuesById, ownRowDuringFreeze } from '../../rules/scoring/own-row.ts'
import { areFixedValuesUnchanged, buildScoreboard } from '../../rules/scoring/ranking.ts'
import type { RecordedFacts } from '../../rules/scoring/records.ts'
import {
  findChallengeLocks,
  type Lock,
  listConcealedChallengeIds,
  omitConcealedChallenges,
  omitConcealedLabels,
  type Unlock,
} from '../../rules/scoring/unlocking.ts'
import { type BoardContent, writeBoard } from './board-writer.ts'
import {
  type BoardTimes,
  type FactsSource,
  type FeedPosition,
  loadFeedEntriesOfBoard,
  loadFeedPosition,
} from './facts-repository.ts'
import { versionOfFrozenBoard } from './frozen-version.ts'
import {
  boardFactsOfScoreFold,
  boardFactsOfSourceBeforeInstant,
  type GameSource,
  isStoredUnlock,
  loadGameSource,
  reloadGameSource,
} from './game-source.ts'

/**
 * Maximum number of cached records of all games together. If a game is not cached, each build reads all records of the game again.
 * The game that was built last is always cached.
 */
const defaultMaxRecords = 150_000

/** Positions of a board in the change feed. A position is the number of a database transaction. */
export type BoardHistory = Readonly<{
  /** Number of the first database transaction whose changes may be missing on the board. */
  position: number
  /** Lowest position from which `changed` is complete. A client with a lower position must read the full board. */
  floor: number
  /** For each team id, the position of the last change of the team's row. */
  changed: ReadonlyMap<number, number>
}>

/** Board of a game in one view (live or public). */
export type MadeView = Readonly<{
  times: BoardTimes
  /** Instant of the freeze. Null if the board shows the current state. */
  frozenAt: Date | null
  history: BoardHistory
  /** Difficulties and tags of the challenges as JSON. */
  marks: string
  /** Unlock conditions of challenges. Empty after the end of the game, because all challenges are then unlocked. */
  locks: readonly Lock[]
  /** Challenges by category, including hidden challenges that no team has unlocked. */
  allChallenges: Readonly<Record<string, BoardChallenge[]>>
  /** True if the game had ended when the board was built. */
  isOver: boolean
  /** Content of the board. Absent if it equals the content that the caller has. */
  content?: BoardContent
}>

export type MadeBoard = Readonly<{
  live: MadeView
  /** Frozen board that players and visitors see during a freeze. Absent outside of a freeze. */
  frozen?: MadeView
  /** Challenges that teams have unlocked. The caller must store the list in the database. */
  unlocks: readonly Unlock[]
}>

/** ETags of the boards in the caller's cache. */
export type KnownBoards = Readonly<{
  live: string
  /** ETag of the frozen board, or undefined if the caller has no frozen board. */
  frozen: string | undefined
}>

export type BoardRequest = Readonly<{
  gameId: number
  now: Date
  /** Boards in the caller's cache. If undefined, the board maker reads all score records of the game. */
  known: KnownBoards | undefined
}>

export type PastBoardRequest = Readonly<{
  gameId: number
  /** The board contains only changes before this instant. */
  instant: Date
}>

export interface BoardMaker {
  /** Builds the board of a game. Make only one call per game at a time. @returns undefined if the game does not exist */
  make(order: BoardRequest): Promise<MadeBoard | undefined>
  /** Builds the board of a past instant. @returns undefined if the game does not exist */
  makePast(order: PastBoardRequest): Promise<BoardContent | undefined>
  close(): Promise<void>
}

type LoadedGame = FeedPosition & BoardHistory & Readonly<{ source: GameSource; facts: RecordedFacts }>

type CachedGame = LoadedGame & Readonly<{ live: BuiltView; frozen: BuiltView | undefined }>

type BuiltView = Readonly<{
  etag: string
  concealed: ReadonlySet<number>
  shown: Omit<MadeView, 'history' | 'content'>
}>

/** Returns a PostgreSQL snapshot that sees only transactions whose number is lower than `position`. */
function snapshotBefore(position: number): string {
  return `${position}:${position}:`
}

function maxPositions(earlier: ReadonlyMap<number, number>, later: ReadonlyMap<number, number>): Map<number, number> {
  const positions = new Map(earlier)
  for (const [id, position] of later) positions.set(id, Math.max(position, positions.get(id) ?? 0))
  return positions
}

/**
 * Returns the instant of the freeze if players see the frozen board, else null. Players also see the frozen board if a replica
 * whose clock is ahead has already written a change after the freeze.
 */
function freezeOf({ labels: { times }, frozen }: GameSource, now: Date): Date | null {
  const { freeze } = times
  if (!freeze) return null
  const at = frozen?.hasHidden && now < freeze ? freeze : now
  return isFrozen(at, times) ? freeze : null
}

type BuildOptions = Readonly<{
  now: Date
  /** Instant of a frozen or past board. Null for the live board. */
  frozenAt: Date | null
  /** Frozen board that players see instead of this board. Undefined if players see this board. */
  frozen?: Scoreboard | undefined
}>

/**
 * Returns live rows with the points that each team sees during a freeze. Unlock rules use these points, because live points would
 * reveal later solves of other teams.
 */
function standingsOf(live: Scoreboard, { divisions }: RecordedFacts, frozen: Scoreboard): Pick<Scoreboard, 'items'> {
  const rows = new Map(frozen.items.map((row) => [row.id, row]))
  const values = mapChallengeValuesById(frozen.challenges)
  const rights = new Map(divisions.map((division) => [division.name, division]))
  return {
    items: live.items.map((row) =>
      ownRowDuringFreeze(row, { row: rows.get(row.id), values }, (challengeId) =>
        hasRight(rightsForChallenge(rights.get(row.organization ?? ''), challengeId), 'points'),
      ),
    ),
  }
}

function buildView(source: GameSource, facts: RecordedFacts, { now, frozenAt, frozen }: BuildOptions) {
  const { labels } = source
  const isOver = !canSubmissionScorePoints(now, facts.game)
  const full = buildScoreboard({ ...facts, updatedAt: frozenAt ?? now })
  const { locks, unlocks } = isOver
    ? { locks: [], unlocks: [] }
    : findChallengeLocks(
        { ...labels, ...facts, isUnlocked: (unlock) => isStoredUnlock(source, unlock, frozenAt ?? undefined) },
        frozen ? standingsOf(full, facts, frozen) : full,
      )
  const concealed = listConcealedChallengeIds(locks)
  const content = writeBoard(omitConcealedChallenges(full, concealed), frozenAt !== null)
  const marks = JSON.stringify(omitConcealedLabels(labels.marks, concealed))
  const shown = { times: labels.times, frozenAt, marks, locks, isOver, allChallenges: full.challenges }
  return { built: { etag: content.etag, concealed, shown } satisfies BuiltView, content, unlocks, full }
}

/**
 * Returns the view of a frozen board with the version of the board. The version depends only on the content, so later changes do
 * not affect the version.
 */
function withFrozenVersion({ etag, shown }: BuiltView): Omit<MadeView, 'content'> {
  const position = versionOfFrozenBoard(etag)
  return { ...shown, history: { position, floor: position, changed: new Map() } }
}

/** Builds boards from cached records. Reads new records, and the names and labels that the change feed reports. ADR 24 and 58. */
export function createBoardMaker({
  db,
  maxRecords = defaultMaxRecords,
}: Readonly<{ db: FactsSource; maxRecords?: number }>): BoardMaker {
  const games = new LRUCache<number, CachedGame>({
    maxSize: maxRecords,
    sizeCalculation: ({ source }) => Math.min(Math.max(source.records.length, 1), maxRecords),
  })

  const read = (gameId: number, before: CachedGame | undefined): Promise<LoadedGame | undefined> =>
    db.reader.snapshot(async (at) => {
      const place = await loadFeedPosition(at)
      const { fullChangeAt, teams, transactions } = await loadFeedEntriesOfBoard(
        at,
        gameId,
        before?.snapshot ?? snapshotBefore(place.position),
      )
      const history = {
        ...place,
        floor: Math.max(before?.floor ?? place.position, fullChangeAt + 1),
        changed: maxPositions(before?.changed ?? new Map(), teams),
      }
      const isSame = before && fullChangeAt === 0 && teams.size === 0
      const changes = before && { since: before.snapshot, isFull: fullChangeAt > 0, teamIds: teams.keys() }
      const source = changes ? await reloadGameSource(at, gameId, before.source, changes) : await loadGameSource(at, gameId)
      const facts = isSame ? before.facts : source && boardFactsOfScoreFold(source.present, source)
      if (!source || !facts) return undefined
      if (areFixedValuesUnchanged(before?.facts ?? facts, facts, transactions)) return { ...history, source, facts }
      // The change may also affect points of teams that the feed does not name, so clients must read the full board.
      return { ...history, floor: Math.max(history.floor, ...teams.values().map((at) => at + 1)), source, facts }
    })

  return {
    async make({ gameId, now, known }) {
      const before = known && games.get(gameId)
      // Remove the game from the cache before the read. After a failed read, the cached records may be incomplete.
      games.delete(gameId)
      const game = await read(gameId, before)
      if (!game) return undefined
      const { source, facts, position, changed } = game
      const frozenAt = freezeOf(source, now)
      const isSame =
        facts === before?.facts &&
        before.live.shown.isOver === !canSubmissionScorePoints(now, facts.game) &&
        before.frozen?.shown.frozenAt?.getTime() === frozenAt?.getTime()
      if (isSame && before.live.etag === known?.live && before.frozen?.etag === known.frozen) {
        games.set(gameId, { ...before, ...game })
        return {
          live: { ...before.live.shown, history: { position, floor: game.floor, changed } },
          ...(before.frozen && { frozen: withFrozenVersion(before.frozen) }),
          unlocks: [],
        }
      }
      const frozenFacts = frozenAt && source.frozen && boardFactsOfScoreFold(source.frozen, source)
      const frozen = frozenFacts ? buildView(source, frozenFacts, { now, frozenAt }) : undefined
      const live = buildView(source, facts, { now, frozenAt: null, frozen: frozen?.full })
      // Responses with changes contain no titles, so clients must read the full board when a challenge appears or disappears.
      const isSeen = !before || before.live.concealed.symmetricDifference(live.built.concealed).size === 0
      const floor = isSeen ? game.floor : Math.max(game.floor, before.position + 1)
      games.set(gameId, { ...game, floor, live: live.built, frozen: frozen?.built })
      return {
        live: {
          ...{ ...live.built.shown, history: { position, floor, changed } },
          ...(live.content.etag !== known?.live && { content: live.content }),
        },
        ...(frozen && {
          frozen: {
            ...withFrozenVersion(frozen.built),
            ...(frozen.content.etag !== known?.frozen && { content: frozen.content }),
          },
        }),
        unlocks: now >= source.labels.times.start ? live.unlocks : [],
      }
    },
    async makePast({ gameId, instant }) {
      const source = games.get(gameId)?.source ?? (await db.reader.snapshot((at) => loadGameSource(at, gameId)))
      const facts = source && boardFactsOfSourceBeforeInstant(source, instant)
      return facts && buildView(source, facts, { now: instant, frozenAt: instant }).content
    },
    async close() {
      games.clear()
    },
  }
}
