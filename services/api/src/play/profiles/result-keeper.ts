import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import type { Database } from '@capstan/db/client'
import type { Clock } from '../../server/http/clock.ts'
import type { Board, ScoreboardService } from '../scoreboard/service.ts'
import { type FinalStanding, resultRepository } from './result-repository.ts'

/** Rows that are read and written at once, so that no call waits long. */
const mostRows = 500

export type ResultKeeperDeps = Readonly<{
  db: Database
  clock: Clock
  scoreboards: ScoreboardService
  log: { warn(fields: object, text: string): void }
}>

/** All rows of a board; other calls get their turn in between. */
async function readStandings(board: Board): Promise<FinalStanding[]> {
  const rows: ScoreboardTeam[] = []
  for (let skip = 0; skip < board.teamCount; skip += mostRows) {
    for (const row of board.leaders(mostRows, skip)) rows.push({ ...row, solvedChallenges: [] })
    await new Promise((resolve) => setImmediate(resolve))
  }
  // Ranks run through: that of the last of a division is how many it has.
  const divisionTeams = new Map(rows.map(({ organization, organizationRank }) => [organization, organizationRank]))
  return rows.map((team) => ({
    teamId: team.id,
    rank: team.rank,
    teams: board.teamCount,
    divisionRank: team.organizationRank,
    divisionTeams: team.organization === null ? null : (divisionTeams.get(team.organization) ?? null),
    score: team.score,
    solved: team.solvedCount,
    lastSolveAt: team.solvedCount > 0 ? new Date(team.lastSubmissionTime) : null,
  }))
}

/**
 * Stores the final standings of games, so that a page can show many games with one statement and without their boards. The change
 * feed names the games to take again. ADR 37.
 */
export function createResultKeeper({ db, clock, scoreboards, log }: ResultKeeperDeps) {
  const keep = async (gameId: number, board: Board): Promise<void> => {
    const standings = await readStandings(board)
    await db.transaction(async (transaction) => {
      const repository = resultRepository(transaction)
      if (!(await repository.claim(gameId, board.position))) return
      // Before anything of theirs is touched: whoever deletes a team waits for this, and not the other way round too.
      const there = await repository.holdTeams(standings.map(({ teamId }) => teamId))
      const rows = standings.filter(({ teamId }) => there.has(teamId))
      await repository.clear(gameId)
      for (let from = 0; from < rows.length; from += mostRows) await repository.insert(gameId, rows.slice(from, from + mostRows))
    })
  }

  const keepAll = async (gameIds: readonly number[]): Promise<void> => {
    for (const id of gameIds) {
      try {
        const board = await scoreboards.buildOnce(id)
        if (board) await keep(id, board)
      } catch (error) {
        log.warn({ err: error, gameId: id }, 'Could not keep the standings of a game')
      }
    }
  }
  let last: Promise<void> = Promise.resolve()
  const inTurn = (list: () => Promise<number[]>): Promise<void> => {
    last = last
      .then(list)
      .then(keepAll)
      .catch((error: unknown) => log.warn({ err: error }, 'Could not look for games whose standings changed'))
    return last
  }

  return {
    /** Takes the standings of all games that are over and have none, or older ones than the feed. */
    run: (): Promise<void> => inTurn(() => resultRepository(db).listOutdated(clock.now())),
    /** Takes the standings of those of these games that are over. */
    runFor: (gameIds: readonly number[]): Promise<void> => inTurn(() => resultRepository(db).listOver(gameIds, clock.now())),
  }
}
