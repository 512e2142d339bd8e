import { createHash } from 'node:crypto'
import type { GameTimes } from '@capstan/contract/phases'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { LRUCache } from 'lru-cache'
import { type BoardStep, LiveBoard } from '../scoring/live-board.ts'
import { type BoardContent, type BoardWriter, createBoardWriter } from './board-writer.ts'
import { type FactsSource, type GameFacts, loadGameFacts, loadNewSolves } from './facts-repository.ts'

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
  /** JSON of what its challenges are marked with. */
  readonly marks: string
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
  /** Memory of an earlier board, which nobody reads any more: that of the next one, if it fits. */
  readonly spare?: SharedArrayBuffer | undefined
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
  readonly write: BoardWriter
  readonly marks: string
  /** Of the last board. Its bytes are the caller's, who says when they may be written over. */
  etag: string
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

const writeContent = ({ live, write }: Pick<Game, 'live' | 'write'>, spare: SharedArrayBuffer | undefined): BoardContent => ({
  ...write(live.board, spare),
  solvers: live.solvers,
})

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
export const createBoardMaker = ({ db }: { readonly db: FactsSource }): BoardMaker => {
  const games = new LRUCache<number, Game>({ max: mostGames })

  const readWhole = async ({ gameId, now, spare }: BoardOrder, before: Game | undefined) => {
    const facts = await loadGameFacts(db, gameId, now)
    if (!facts) return undefined
    const live = new LiveBoard(facts, mostSteps)
    const digest = digestOf(facts, live.base)
    const isSame = before !== undefined && before.digest === digest && before.live.base === live.base
    const write = before?.write ?? createBoardWriter()
    const content = writeContent({ live, write }, spare)
    const { etag } = content
    // What nobody has announced: clients that follow must start anew.
    const isBroken = isSame && !continues(live.board, before.live.board)
    const origin = isBroken ? createHash('sha256').update(`${digest} ${etag}`).digest('base64url').slice(0, 12) : undefined
    const marks = JSON.stringify(facts.marks)
    const game: Game = { live, digest, origin: origin ?? (isSame ? before.origin : digest), write, marks, etag }
    return { game, times: facts.times, content }
  }

  /** @returns undefined: everything must be read */
  const readNew = async ({ gameId, now, spare, known }: BoardOrder, game: Game) => {
    const { live } = game
    const added = await loadNewSolves(db, gameId, live.version)
    if (!added || added.version < live.version) return undefined
    const versions = new Set(added.solves.map(({ boardVersion }) => boardVersion))
    for (let version = live.version + 1; version <= added.version; version += 1) if (!versions.has(version)) return undefined
    const before = live.board
    live.advance({ ...added, updatedAt: now })
    if (live.board === before && game.etag === known?.etag) return { game, times: added.times }
    const content = writeContent(game, spare)
    game.etag = content.etag
    return { game, times: added.times, content }
  }

  return {
    async make(order) {
      const { gameId, isWhole, known } = order
      const before = games.get(gameId)
      // Whatever goes wrong leaves nothing half done behind.
      games.delete(gameId)
      const made = (!isWhole && before && (await readNew(order, before))) || (await readWhole(order, before))
      if (!made) return undefined
      const { game, times, content } = made
      games.set(gameId, game)
      const { live, origin, marks } = game
      const { base, version, counted } = live
      const after = known?.origin === origin ? known.version : base
      return {
        times,
        history: { base, origin, version, counted },
        steps: live.steps.filter((step) => step.version > after).map(writeStep),
        marks,
        ...(content && content.etag !== known?.etag && { content }),
      }
    },
    async close() {
      games.clear()
    },
  }
}
