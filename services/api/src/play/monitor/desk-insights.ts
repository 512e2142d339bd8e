import type { DeskChallenge, DeskLeader, DeskMover, GameDesk } from '@capstan/contract/desk'
import { Limits } from '@capstan/contract/limits'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { eachStanding } from '../scoreboard/board-rows.ts'
import type { Board } from '../scoreboard/service.ts'
import type { DeskInsightRepository } from './desk-insight-repository.ts'

export type DeskInsights = Pick<GameDesk, 'challenges' | 'movers' | 'stuck' | 'suspicions' | 'summary'>

type HourRow = Awaited<ReturnType<DeskInsightRepository['countByChallenge']>>[number]

/** Adds the numbers of submissions in the last hour to the challenges of a board. */
function joinHour(board: Pick<Board, 'challenges'>, hour: readonly HourRow[]): DeskChallenge[] {
  const byId = new Map(hour.map(({ challengeId, ...counts }) => [challengeId, counts]))
  return Object.values(board.challenges)
    .flat()
    .slice(0, Limits.deskChallenges)
    .map(({ id, title, category, score, solved }) => ({
      ...{ id, title, category, score, solved },
      ...(byId.get(id) ?? { right: 0, wrong: 0, teams: 0 }),
    }))
}

function presentLeader({ id, name, rank, score, solvedCount }: ScoreboardTeam): DeskLeader {
  return {
    teamId: id,
    team: name,
    rank,
    score,
    solved: solvedCount,
  }
}

/** Returns the teams whose score on the scoreboard has increased the most since the given time. */
export async function findRisingTeams(
  teams: Iterable<ScoreboardTeam> | AsyncIterable<ScoreboardTeam>,
  since: Date,
  limit: number,
): Promise<DeskMover[]> {
  const risen: DeskMover[] = []
  for await (const { id, name, rank, score, solvedChallenges } of teams) {
    const solves = solvedChallenges.filter(({ time }) => Date.parse(time) >= since.getTime())
    const gained = solves.reduce((sum, solve) => sum + solve.score, 0)
    if (solves.length > 0) risen.push({ teamId: id, team: name, rank, score, gained, solves: solves.length })
  }
  return risen.sort((one, other) => other.gained - one.gained || one.teamId - other.teamId).slice(0, limit)
}

/**
 * Returns the teams that gained the most points, the teams that are stuck, and statistics of challenges. Reads the data of the last
 * hour from the database. All other data comes from the board.
 */
export async function readDeskInsights(
  repository: DeskInsightRepository,
  gameId: number,
  board: Board,
  since: Date,
): Promise<DeskInsights> {
  const values = Object.values(board.challenges).flat()
  const [hour, stuck, suspicions] = await Promise.all([
    repository.countByChallenge(gameId, since),
    repository.listStuck(gameId, since, Limits.minWrongFlagsOfStuckTeam, Limits.deskTeams),
    repository.listSuspicions(gameId, Limits.deskTeams),
  ])
  return {
    challenges: joinHour(board, hour),
    movers: await findRisingTeams(eachStanding(board, board.rankedCount), since, Limits.deskTeams),
    stuck: stuck.map((row) => ({ ...row, lastSolveAt: row.lastSolveAt?.toISOString() ?? null })),
    suspicions: suspicions.map((row) => ({ ...row, time: row.time.toISOString() })),
    summary: {
      teams: board.teamCount,
      scored: board.scoredCount,
      solves: values.reduce((sum, { solved }) => sum + solved, 0),
      leaders: board
        .leaders(Math.min(Limits.deskLeaders, board.rankedCount))
        .filter(({ solvedCount }) => solvedCount > 0)
        .map(presentLeader),
    },
  }
}
