import type { GameTimes } from '@capstan/contract/phases'
import { LRUCache } from 'lru-cache'
import { buildScoreboard, retainsFixedValues } from '../../rules/scoring/ranking.ts'
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

  const read = (gameId: number, before: Game | undefined): Promise<Omit<Game, 'etag'> | undefined> =>
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
      const { facts, position, floor, changed } = game
      const made = { times: facts.times, history: { position, floor, changed }, marks: JSON.stringify(facts.marks) }
      if (facts === before?.facts && before.etag === known) {
        games.set(gameId, { ...game, etag: known })
        return made
      }
      const content = writeBoard(buildScoreboard({ ...facts, updatedAt: now }))
      games.set(gameId, { ...game, etag: content.etag })
      return content.etag === known ? made : { ...made, content }
    },
    async close() {
      games.clear()
    },
  }
}
