import { createHash } from 'node:crypto'
import type { GameTimes } from '@capstan/contract/phases'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import type { Database } from '@capstan/db/client'
import { LRUCache } from 'lru-cache'
import { type BoardStep, LiveBoard } from '../scoring/live-board.ts'
import { type BoardContent, createBoardWriter } from './board-writer.ts'
import { type GameFacts, loadGameFacts, loadNewSolves } from './facts-repository.ts'

/** Steps that are kept of a game: whoever has missed more reads the whole board. */
export const mostSteps = 1_000

/** Games whose facts are kept in memory; of others they are read anew for each board. */
const mostGames = 32

/** What one version brought, ready to be sent. */
export interface WrittenStep extends Pick<BoardStep, 'version' | 'counted'> {
  readonly challengeIds: readonly number[]
  /** JSON of its solves without brackets; empty without solves that count. */
  readonly json: string
}

/** How a board came about: boards of equal history that are made by any process have equal steps. */
export interface BoardHistory {
  /** Where the steps begin. */
  readonly base: number
  /** Digest of all that the board at `base` is made from. */
  readonly origin: string
  readonly version: number
  /** Solves that count of the versions after `base`. */
  readonly counted: number
}

export interface MadeBoard {
  readonly times: GameTimes
  readonly history: BoardHistory
  /** Those after the known version, or all that are kept. */
  readonly steps: readonly WrittenStep[]
  /** Absent: what is known already. */
  readonly content?: BoardContent
}

export interface BoardOrder {
  readonly gameId: number
  readonly now: Date
  /** Everything is to be read again, not only the new solves. */
  readonly isWhole: boolean
  /** What the caller holds already. */
  readonly known: (Pick<BoardHistory, 'origin' | 'version'> & { readonly etag: string }) | undefined
}

/** Builds scoreboards. */
export interface BoardMaker {
  /** One order of a game at a time. @returns undefined: there is no such game */
  make(order: BoardOrder): Promise<MadeBoard | undefined>
  close(): Promise<void>
}

interface Game {
  readonly live: LiveBoard
  /** Of the facts, without what was seen to change besides. */
  readonly digest: string
  readonly origin: string
  readonly write: (board: Scoreboard) => BoardContent
  content: BoardContent
}

/** Of what the board at the base is made from. */
const digestOf = ({ game, challenges, participations, solves }: GameFacts, base: number): string => {
  const hash = createHash('sha256').update(JSON.stringify([base, game, challenges, participations]))
  for (const { boardVersion, submissionId, participationId, challengeId, submittedAt, userName } of solves)
    if (boardVersion <= base)
      hash.update(`\n${submissionId} ${participationId} ${challengeId} ${submittedAt.getTime()} ${userName}`)
  return hash.digest('base64url').slice(0, 12)
}

/** Whether the later board has all solves of the earlier one as they were: what was told of them is still true. */
const continues = (later: Scoreboard, earlier: Scoreboard): boolean => {
  const teams = new Map(later.items.map((team) => [team.id, team]))
  return earlier.items.every(({ id, solvedChallenges }) => {
    let found = 0
    for (const { id: challengeId, time, userName } of teams.get(id)?.solvedChallenges ?? []) {
      const next = solvedChallenges[found]
      if (next?.id === challengeId && next.time === time && next.userName === userName) found += 1
    }
    return found === solvedChallenges.length
  })
}

const writeStep = ({ version, counted, solves }: BoardStep): WrittenStep => ({
  version,
  counted,
  challengeIds: solves.map(({ challenge }) => challenge),
  json: JSON.stringify(solves).slice(1, -1),
})

/**
 * Builds boards from the database. Of a game that it has built before it reads the new solves alone, unless something else has
 * changed: then there is a version that no solve carries.
 */
export const createBoardMaker = ({ db }: { readonly db: Database }): BoardMaker => {
  const games = new LRUCache<number, Game>({ max: mostGames })

  const readWhole = async (gameId: number, now: Date, before: Game | undefined) => {
    const facts = await loadGameFacts(db, gameId, now)
    if (!facts) return undefined
    const live = new LiveBoard(facts, mostSteps)
    const digest = digestOf(facts, live.base)
    const isSame = before !== undefined && before.digest === digest && before.live.base === live.base
    const write = before?.write ?? createBoardWriter()
    const content = write(live.board)
    // What nobody has announced: clients that follow must start anew.
    const isBroken = isSame && !continues(live.board, before.live.board)
    const origin = isBroken
      ? createHash('sha256').update(`${digest} ${content.etag}`).digest('base64url').slice(0, 12)
      : undefined
    const game = { live, digest, origin: origin ?? (isSame ? before.origin : digest), write, content }
    return { game, times: facts.times }
  }

  /** @returns undefined: everything must be read */
  const readNew = async (gameId: number, now: Date, game: Game) => {
    const { live } = game
    const added = await loadNewSolves(db, gameId, live.version)
    if (!added || added.version < live.version) return undefined
    const versions = new Set(added.solves.map(({ boardVersion }) => boardVersion))
    for (let version = live.version + 1; version <= added.version; version += 1) if (!versions.has(version)) return undefined
    const before = live.board
    live.advance({ ...added, updatedAt: now })
    if (live.board !== before) game.content = game.write(live.board)
    return { game, times: added.times }
  }

  return {
    async make({ gameId, now, isWhole, known }) {
      const before = games.get(gameId)
      // Whatever goes wrong leaves nothing half done behind.
      games.delete(gameId)
      const made = (!isWhole && before && (await readNew(gameId, now, before))) || (await readWhole(gameId, now, before))
      if (!made) return undefined
      const { game } = made
      games.set(gameId, game)
      const { live, origin } = game
      // What was handed to another thread is gone from here.
      if (game.content.bytes.byteLength === 0 && known?.etag !== game.content.etag) game.content = game.write(live.board)
      const { content } = game
      const { base, version, counted } = live
      const after = known?.origin === origin ? known.version : base
      return {
        times: made.times,
        history: { base, origin, version, counted },
        steps: live.steps.filter((step) => step.version > after).map(writeStep),
        ...(known?.etag !== content.etag && { content }),
      }
    },
    async close() {
      games.clear()
    },
  }
}
