import { noSubmissionTime } from '@capstan/contract/board-rules'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import type { Database } from '@capstan/db/client'
import type { Clock } from '../../server/http/clock.ts'
import type { Board, ScoreboardService } from '../scoreboard/service.ts'
import { createFinalStandingRepository, type FinalStanding } from './result-repository.ts'

/** Maximum number of rows that are read or written before other requests are processed. */
const maxRows = 500

export type StandingsWriterDeps = Readonly<{
  db: Database
  clock: Clock
  scoreboards: ScoreboardService
  log: { warn(fields: object, text: string): void }
}>

async function readStandings(board: Board): Promise<FinalStanding[]> {
  const rows: ScoreboardTeam[] = []
  for (let skip = 0; skip < board.teamCount; skip += maxRows) {
    for (const row of board.leaders(maxRows, skip)) rows.push({ ...row, solvedChallenges: [] })
    await new Promise((resolve) => setImmediate(resolve))
  }
  const firstBloods = Map.groupBy(Object.values(board.challenges).flat(), ({ bloods }): number | undefined => bloods[0]?.id)
  return rows.map((team) => ({
    teamId: team.id,
    rank: team.rank,
    teams: board.rankedCount,
    divisionRank: team.organizationRank,
    divisionTeams: board.divisionSizes.get(team.organization ?? '') ?? null,
    score: team.score,
    solved: team.solvedCount,
    lastSolveAt: team.lastSubmissionTime === noSubmissionTime ? null : new Date(team.lastSubmissionTime),
    firstBloods: (firstBloods.get(team.id) ?? []).map(({ id }) => id),
  }))
}

/**
 * Stores the final standings of games. A profile page then reads the standings of many games with one statement and needs no
 * boards. The change feed shows which standings are outdated. ADR 37.
 */
export function createStandingsWriter({ db, clock, scoreboards, log }: StandingsWriterDeps) {
  const keep = async (gameId: number, board: Board): Promise<void> => {
    const standings = await readStandings(board)
    await db.transaction(async (transaction) => {
      const repository = createFinalStandingRepository(transaction)
      if (!(await repository.claim(gameId, board.position))) return
      // Lock the teams before their standings, as the deletion of a team does. The opposite order could cause a deadlock.
      const there = await repository.lockTeams(standings.map(({ teamId }) => teamId))
      const rows = standings.filter(({ teamId }) => there.has(teamId))
      await repository.clear(gameId)
      for (let from = 0; from < rows.length; from += maxRows) await repository.insert(gameId, rows.slice(from, from + maxRows))
    })
  }

  const keepAll = async (gameIds: readonly number[]): Promise<void> => {
    for (const id of gameIds) {
      try {
        const board = (await scoreboards.readCurrent(id))?.public
        // The standings of a frozen board are not final.
        if (board?.frozenAt === null) await keep(id, board)
      } catch (error) {
        log.warn({ err: error, gameId: id }, 'Could not store the standings of a game')
      }
    }
  }
  const repository = createFinalStandingRepository(db)
  const requested = { isAll: false, gameIds: new Set<number>() }
  /** Next run of the writer, which has not begun yet. This run handles all requests that arrive before its start. */
  let next: Promise<void> | undefined
  let last: Promise<void> = Promise.resolve()
  const runRequested = async (): Promise<void> => {
    next = undefined
    const { isAll, gameIds } = requested
    Object.assign(requested, { isAll: false, gameIds: new Set() })
    const now = clock.now()
    const outdated = isAll ? await repository.listOutdated(now) : []
    const over = gameIds.size > 0 ? await repository.listOver([...gameIds], now) : []
    await keepAll([...new Set([...outdated, ...over])])
  }
  const inTurn = (): Promise<void> => {
    next ??= last = last
      .then(runRequested)
      .catch((error: unknown) => log.warn({ err: error }, 'Could not find games with changed standings'))
    return next
  }

  return {
    /** Stores the standings of finished games whose standings are missing or older than the last change in the feed. */
    run(): Promise<void> {
      requested.isAll = true
      return inTurn()
    },
    runFor(gameIds: readonly number[]): Promise<void> {
      for (const id of gameIds) requested.gameIds.add(id)
      return inTurn()
    },
  }
}
