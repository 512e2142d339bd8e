import type { GameTimes } from '@capstan/contract/phases'
import { LRUCache } from 'lru-cache'
import { buildScoreboard } from '../../rules/scoring/ranking.ts'
import { type BoardContent, writeBoard } from './board-writer.ts'
import {
  type FactsSource,
  type FeedPlace,
  type GameFacts,
  loadAnnouncements,
  loadFeedPlace,
  loadGameFacts,
  reloadTeams,
} from './facts-repository.ts'

/** Games whose facts stay in memory; those of others are read again for each board. */
const maxGames = 32

/** With more changed teams, reading the whole game is faster. */
const maxChangedTeams = 500

/** How a board relates to the change feed. Positions are numbers of transactions. */
export type BoardHistory = Readonly<{
  /** The board shows every change with a lower number. */
  position: number
  /** `changed` is complete from this position on. */
  floor: number
  /** By team id: position at which its row last changed. */
  changed: ReadonlyMap<number, number>
}>

export type MadeBoard = Readonly<{
  times: GameTimes
  history: BoardHistory
  /** JSON of the challenges' marks. */
  marks: string
  /** Absent if it equals the known board. */
  content?: BoardContent
}>

export type BoardOrder = Readonly<{
  gameId: number
  now: Date
  /** ETag of the board that the caller has; undefined: read everything, not only what the feed names. */
  known: string | undefined
}>

/** Builds scoreboards. */
export interface BoardMaker {
  /** Takes one order of a game at a time. @returns undefined if there is no such game */
  make(order: BoardOrder): Promise<MadeBoard | undefined>
  close(): Promise<void>
}

type Game = FeedPlace &
  BoardHistory &
  Readonly<{
    facts: GameFacts
    etag: string
  }>

/** A snapshot in which only lower numbers are visible. */
function snapshotBefore(position: number): string {
  return `${position}:${position}:`
}

function maxPositions(earlier: ReadonlyMap<number, number>, later: ReadonlyMap<number, number>): Map<number, number> {
  const positions = new Map(earlier)
  for (const [id, position] of later) positions.set(id, Math.max(position, positions.get(id) ?? 0))
  return positions
}

/** Builds boards from facts in memory. The change feed names the rows to read again. ADR 24. */
export function createBoardMaker({ db }: { readonly db: FactsSource }): BoardMaker {
  const games = new LRUCache<number, Game>({ max: maxGames })

  const read = (gameId: number, before: Game | undefined): Promise<Omit<Game, 'etag'> | undefined> =>
    db.reader.snapshot(async (at) => {
      const place = await loadFeedPlace(at)
      const { wholeAt, teams } = await loadAnnouncements(at, gameId, before?.snapshot ?? snapshotBefore(place.position))
      const history = {
        ...place,
        floor: Math.max(before?.floor ?? place.position, wholeAt + 1),
        changed: maxPositions(before?.changed ?? new Map(), teams),
      }
      if (before && wholeAt === 0 && teams.size === 0) return { ...history, facts: before.facts }
      const isPartial = before && wholeAt === 0 && teams.size <= maxChangedTeams
      const facts = isPartial ? await reloadTeams(at, gameId, before.facts, [...teams.keys()]) : await loadGameFacts(at, gameId)
      return facts && { ...history, facts }
    })

  return {
    async make({ gameId, now, known }) {
      const before = known === undefined ? undefined : games.get(gameId)
      // A failure must not leave facts behind that miss a change.
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
