import { bonusOf, decodeBloodBonus, solveRankOf } from './blood.ts'
import type { BoardChanges, BoardSolve } from './board-changes.ts'
import { Limits } from './limits.ts'
import { solvePoints } from './score.ts'
import type { BoardChallenge, Scoreboard, ScoreboardTeam, SolvedChallenge, TeamTimeline } from './scoreboard.ts'
import { bloodTypes } from './vocabulary.ts'

/** Key of the overall timeline. No division may use it. */
export const overallKey = 'all'

const pointsOf = (solved: readonly SolvedChallenge[]): number => solved.reduce((sum, { score }) => sum + score, 0)

const timelineOf = ({ id, name, score: points, solvedChallenges }: ScoreboardTeam): TeamTimeline => {
  // Awards of a team apart from its solves count from the start.
  let total = points - pointsOf(solvedChallenges)
  const items = solvedChallenges.map(({ time, score }) => {
    total += score
    return { time, score: total }
  })
  return { id, name, items }
}

/** Assigns ranks to ordered teams. Teams whose ranks do not change remain the same objects. */
export const rankTeams = (ordered: readonly ScoreboardTeam[]): ScoreboardTeam[] => {
  const sizes = new Map<string, number>()
  return ordered.map((team, index) => {
    const rank = index + 1
    let organizationRank: number | null = null
    if (team.organization !== null) {
      organizationRank = (sizes.get(team.organization) ?? 0) + 1
      sizes.set(team.organization, organizationRank)
    }
    return team.rank === rank && team.organizationRank === organizationRank ? team : { ...team, rank, organizationRank }
  })
}

/**
 * Returns the timelines of the first ten teams, overall (`all`) and in every division with teams.
 * @param ranked in order
 */
export const timeLinesOf = (ranked: readonly ScoreboardTeam[]): Record<string, TeamTimeline[]> => {
  const firsts = new Map<string, ScoreboardTeam[]>()
  for (const team of ranked) {
    if (team.organization === null) continue
    const members = firsts.get(team.organization)
    if (!members) firsts.set(team.organization, [team])
    else if (members.length < Limits.timelineTeams) members.push(team)
  }
  firsts.set(overallKey, ranked.slice(0, Limits.timelineTeams))
  return Object.fromEntries([...firsts].map(([key, teams]) => [key, teams.map(timelineOf)]))
}

type TeamOrder = (left: ScoreboardTeam, right: ScoreboardTeam) => number

/** True if the board shows no difference that determines their order. */
const areTied = (left: ScoreboardTeam, right: ScoreboardTeam): boolean =>
  left.score === right.score &&
  left.lastSubmissionTime === right.lastSubmissionTime &&
  left.solvedCount > 0 &&
  right.solvedCount > 0

/**
 * Returns groups of teams whose order the board does not determine.
 * @param ranked in order
 */
export const tiesOf = (ranked: readonly ScoreboardTeam[]): number[][] => {
  const ties: number[][] = []
  let group: number[] = []
  for (const [index, team] of ranked.entries()) {
    const before = ranked[index - 1]
    if (!before || !areTied(before, team)) {
      group = []
    } else if (group.length > 0) {
      group.push(team.id)
    } else {
      group = [before.id, team.id]
      ties.push(group)
    }
  }
  return ties
}

const orderByTies = (ties: readonly (readonly number[])[]): TeamOrder => {
  const places = new Map(ties.flatMap((ids) => ids.map((id, place) => [id, place] as const)))
  return (left, right) => (places.get(left.id) ?? 0) - (places.get(right.id) ?? 0)
}

/**
 * Orders by score (descending), then by the last counted solve (ascending, none last), then by `compareTied`. Teams without
 * solves are ordered by id.
 */
const orderBy =
  (compareTied: TeamOrder): TeamOrder =>
  (left, right) => {
    if (left.score !== right.score) return right.score - left.score
    if (left.solvedCount === 0 || right.solvedCount === 0) {
      if (left.solvedCount === right.solvedCount) return left.id - right.id
      return left.solvedCount === 0 ? 1 : -1
    }
    // All instants have the same format, so their texts sort by time.
    if (left.lastSubmissionTime !== right.lastSubmissionTime) return left.lastSubmissionTime < right.lastSubmissionTime ? -1 : 1
    return compareTied(left, right)
  }

const bloods: readonly SolvedChallenge['type'][] = bloodTypes

/** Bonuses depend on the kind of a solve. */
const placeOf = (type: SolvedChallenge['type']): number => bloods.indexOf(type) + 1

/** Part of the changes that `applyBoardChanges` needs. */
export type AppliedChanges = Pick<BoardChanges, 'updateTimeUtc' | 'challenges' | 'solves'>

/** Adds new solves to their teams, and their bloods to the columns. */
const insertSolves = (
  solves: readonly BoardSolve[],
  columns: Map<number, BoardChallenge>,
  teams: ReadonlyMap<number, ScoreboardTeam>,
): Map<number, SolvedChallenge[]> => {
  const lists = new Map<number, SolvedChallenge[]>()
  const listOf = (team: ScoreboardTeam): SolvedChallenge[] => {
    const list = lists.get(team.id) ?? [...team.solvedChallenges]
    lists.set(team.id, list)
    return list
  }
  for (const { team: teamId, challenge, userName, time, place, at } of solves) {
    const [team, column] = [teams.get(teamId), columns.get(challenge)]
    if (!team || !column) throw new RangeError('The team or challenge of this solve is not on this board')
    let { bloods } = column
    if (place > 0) {
      for (const [index, { id }] of bloods.slice(place - 1).entries()) {
        const later = teams.get(id)
        if (!later) continue
        const list = listOf(later)
        const solved = list.findIndex((one) => one.id === challenge)
        const known = list[solved]
        if (known) list[solved] = { ...known, type: solveRankOf(place + index + 1) }
      }
      const blood = { id: team.id, name: team.name, avatar: team.avatar, submitTimeUtc: time }
      bloods = bloods.toSpliced(place - 1, 0, blood).slice(0, Limits.bloodsPerChallenge)
    }
    columns.set(challenge, { ...column, solved: column.solved + 1, bloods })
    listOf(team).splice(at, 0, { id: challenge, score: 0, type: solveRankOf(place), userName, time })
  }
  return lists
}

/**
 * Applies changes to a board. Server and clients share this rule. Unchanged parts remain the same objects. See
 * docs/contract/scoreboard-and-events.md#changes.
 * @param changes of exactly this board, not `whole`
 * @param compareTied order of teams with equal score and equal time of the last solve
 * @throws RangeError if the changes are for another board
 */
export const applyBoardChanges = (board: Scoreboard, changes: AppliedChanges, compareTied: TeamOrder): Scoreboard => {
  const bonus = decodeBloodBonus(board.bloodBonus)
  const columns = new Map(Object.values(board.challenges).flatMap((list) => list.map((column) => [column.id, column] as const)))
  const teams = new Map(board.items.map((team) => [team.id, team]))
  const lists = insertSolves(changes.solves, columns, teams)
  const revalued = new Set<number>()
  for (const { id, score } of changes.challenges) {
    const column = columns.get(id)
    if (!column) throw new RangeError('This challenge is not on this board')
    if (column.score === score) continue
    columns.set(id, { ...column, score })
    revalued.add(id)
  }

  const award = (solved: SolvedChallenge): SolvedChallenge => {
    const score = solvePoints(columns.get(solved.id)?.score ?? 0, bonusOf(placeOf(solved.type), bonus))
    return solved.score === score ? solved : { ...solved, score }
  }
  const teamNow = (team: ScoreboardTeam): ScoreboardTeam => {
    const list = lists.get(team.id)
    if (!list && !team.solvedChallenges.some(({ id }) => revalued.has(id))) return team
    const solvedChallenges = (list ?? team.solvedChallenges).map(award)
    return {
      ...team,
      // Retain the awards apart from solves.
      score: team.score - pointsOf(team.solvedChallenges) + pointsOf(solvedChallenges),
      lastSubmissionTime: solvedChallenges.at(-1)?.time ?? team.lastSubmissionTime,
      solvedChallenges,
      solvedCount: solvedChallenges.length,
    }
  }
  const items = rankTeams(board.items.map(teamNow).sort(orderBy(compareTied)))
  return {
    updateTimeUtc: changes.updateTimeUtc,
    bloodBonus: board.bloodBonus,
    timeLines: timeLinesOf(items),
    items,
    challenges: Object.fromEntries(
      Object.entries(board.challenges).map(([category, list]) => [
        category,
        list.map((column) => columns.get(column.id) ?? column),
      ]),
    ),
    challengeCount: board.challengeCount,
  }
}

/** Like `applyBoardChanges`, but resolves ties only by the changes. */
export const followBoardChanges = (board: Scoreboard, changes: BoardChanges): Scoreboard =>
  applyBoardChanges(board, changes, orderByTies(changes.ties))
