import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import type { Database } from '@capstan/db/client'
import type { Clock } from '../http/clock.ts'
import type { Board, ScoreboardService } from '../scoreboard/service.ts'
import { type FinalStanding, resultRepository } from './result-repository.ts'

/** Games of one run: the next one goes on. */
const mostGames = 10
/** Rows that are read and written at once, so that no call waits long. */
const mostRows = 500

export interface ResultKeeperDeps {
  readonly db: Database
  readonly clock: Clock
  readonly scoreboards: ScoreboardService
  readonly log: { warn(fields: object, text: string): void }
}

/** All rows of a board; other calls get their turn in between. */
const readStandings = async (board: Board): Promise<FinalStanding[]> => {
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
 * Keeps how the teams of each game stood that is over, so that a page tells of many games with one statement and without their
 * boards. Level, not edge: whatever has another version than its board is taken anew, whoever changed it. ADR 37.
 */
export const createResultKeeper = ({ db, clock, scoreboards, log }: ResultKeeperDeps) => {
  const keep = async (gameId: number, board: Board): Promise<void> => {
    const standings = await readStandings(board)
    await db.transaction(async (transaction) => {
      const repository = resultRepository(transaction)
      if (!(await repository.claim(gameId, board.builtFrom))) return
      // Before anything of theirs is touched: whoever deletes a team waits for this, and not the other way round too.
      const there = await repository.holdTeams(standings.map(({ teamId }) => teamId))
      const rows = standings.filter(({ teamId }) => there.has(teamId))
      await repository.clear(gameId)
      for (let from = 0; from < rows.length; from += mostRows) await repository.insert(gameId, rows.slice(from, from + mostRows))
    })
  }

  const keepGame = async ({ id, version }: { readonly id: number; readonly version: number }): Promise<void> => {
    const isKnown = scoreboards.ready(id) !== undefined
    const board = await scoreboards.read(id)
    // Behind: it is being built, and the next run finds it.
    if (board && board.builtFrom >= version) await keep(id, board)
    if (!isKnown) scoreboards.forget(id)
  }

  return {
    async run(): Promise<void> {
      for (const game of await resultRepository(db).listOpen(clock.now(), mostGames))
        await keepGame(game).catch((error: unknown) =>
          log.warn({ err: error, gameId: game.id }, 'Could not keep the standings of a game'),
        )
    },
  }
}
