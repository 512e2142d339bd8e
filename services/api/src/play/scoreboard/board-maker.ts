import { type GameTimes, isScored } from '@capstan/contract/phases'
import { LRUCache } from 'lru-cache'
import { buildScoreboard, retainsFixedValues } from '../../rules/scoring/ranking.ts'
import { concealedBy, findLocks, type Lock, marksWithout, type Unlock, withoutChallenges } from '../../rules/scoring/unlocking.ts'
import { type BoardContent, writeBoard } from './board-writer.ts'
import {
  type FactsSource,
  type FeedPosition,
  type GameFacts,
  loadAnnouncements,
  loadFeedPosition,
  loadGameFacts,
  reloadTeams,
} from './facts-repository.ts'

/** Number of games with cached facts. For other games, each build reads all facts again. */
const maxGames = 32

/** Maximum number of teams that are reloaded separately. If there are more, reading the full game is faster. */
const maxChangedTeams = 500

/** Positions of a board in the change feed. Positions are transaction numbers. */
export type BoardHistory = Readonly<{
  /** The board includes every change by a transaction with a lower number. */
  position: number
  /** Lowest position from which `changed` is complete. */
  floor: number
  /** Position of the last change of each team's row, by team id. */
  changed: ReadonlyMap<number, number>
}>

export type MadeBoard = Readonly<{
  times: GameTimes
  history: BoardHistory
  /** Labels of the challenges as JSON. */
  marks: string
  /** Conditions of challenges. Empty after the end of the game, when all challenges are open. */
  locks: readonly Lock[]
  /** Unlocks that the caller must store. */
  unlocks: readonly Unlock[]
  /** True if the game had ended. */
  isOver: boolean
  /** Content of the board. Absent if it equals the content that the caller has. */
  content?: BoardContent
}>

export type BoardRequest = Readonly<{
  gameId: number
  now: Date
  /** ETag of the board that the caller has. If undefined, all facts are read, not only those that the change feed names. */
  known: string | undefined
}>

export interface BoardMaker {
  /** Builds the board of a game. Make only one call per game at a time. @returns undefined if the game does not exist */
  make(order: BoardRequest): Promise<MadeBoard | undefined>
  close(): Promise<void>
}

type Game = FeedPosition &
  BoardHistory &
  Readonly<{
    facts: GameFacts
    etag: string
    made: Pick<MadeBoard, 'marks' | 'locks' | 'isOver'>
    concealed: ReadonlySet<number>
  }>

/** Returns a snapshot that sees only transactions with lower numbers. */
function snapshotBefore(position: number): string {
  return `${position}:${position}:`
}

function maxPositions(earlier: ReadonlyMap<number, number>, later: ReadonlyMap<number, number>): Map<number, number> {
  const positions = new Map(earlier)
  for (const [id, position] of later) positions.set(id, Math.max(position, positions.get(id) ?? 0))
  return positions
}

/** Builds boards from cached facts and reloads the rows that the change feed names. ADR 24. */
export function createBoardMaker({ db }: { readonly db: FactsSource }): BoardMaker {
  const games = new LRUCache<number, Game>({ max: maxGames })

  const read = (gameId: number, before: Game | undefined): Promise<Omit<Game, 'etag' | 'made' | 'concealed'> | undefined> =>
    db.reader.snapshot(async (at) => {
      const place = await loadFeedPosition(at)
      const { fullChangeAt, teams, transactions } = await loadAnnouncements(
        at,
        gameId,
        before?.snapshot ?? snapshotBefore(place.position),
      )
      const history = {
        ...place,
        floor: Math.max(before?.floor ?? place.position, fullChangeAt + 1),
        changed: maxPositions(before?.changed ?? new Map(), teams),
      }
      if (before && fullChangeAt === 0 && teams.size === 0) return { ...history, facts: before.facts }
      const isPartial = before && fullChangeAt === 0 && teams.size <= maxChangedTeams
      const facts = isPartial ? await reloadTeams(at, gameId, before.facts, [...teams.keys()]) : await loadGameFacts(at, gameId)
      if (!facts) return undefined
      if (retainsFixedValues(before?.facts ?? facts, facts, transactions)) return { ...history, facts }
      // Rows that were not announced may have other points.
      return { ...history, floor: Math.max(history.floor, ...teams.values()) + 1, facts }
    })

  return {
    async make({ gameId, now, known }) {
      const before = known === undefined ? undefined : games.get(gameId)
      // Remove the cached facts first: after a failure they could lack a change.
      games.delete(gameId)
      const game = await read(gameId, before)
      if (!game) return undefined
      const { facts, position, changed } = game
      const isOver = !isScored(now, facts.game)
      if (facts === before?.facts && before.etag === known && before.made.isOver === isOver) {
        games.set(gameId, { ...before, ...game })
        const history = { position, floor: game.floor, changed }
        return { times: facts.times, history, unlocks: [], ...before.made }
      }
      const full = buildScoreboard({ ...facts, updatedAt: now })
      const { locks, unlocks } = isOver ? { locks: [], unlocks: [] } : findLocks(facts, full)
      const concealed = concealedBy(locks)
      // Changes contain no titles, so clients read the full board when a challenge appears or disappears.
      const isSame = !before || before.concealed.symmetricDifference(concealed).size === 0
      const floor = isSame ? game.floor : Math.max(game.floor, before.position + 1)
      const content = writeBoard(withoutChallenges(full, concealed))
      const made = { marks: JSON.stringify(marksWithout(facts.marks, concealed)), locks, isOver }
      games.set(gameId, { ...game, floor, etag: content.etag, made, concealed })
      const isStarted = now >= facts.times.start
      const history = { position, floor, changed }
      const all = { times: facts.times, history, unlocks: isStarted ? unlocks : [], ...made }
      return content.etag === known ? all : { ...all, content }
    },
    async close() {
      games.clear()
    },
  }
}
