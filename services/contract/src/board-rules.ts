import { createPointsByPlace, solveRankOf } from './blood.ts'
import type { BoardChanges, BoardValue } from './board-changes.ts'
import { type DivisionRights, hasRight, rightsForChallenge } from './division-rights.ts'
import { Limits } from './limits.ts'
import type { BloodEntry, BoardChallenge, Scoreboard, ScoreboardTeam, SolvedChallenge, TeamTimeline } from './scoreboard.ts'

/** Key of the timeline that covers all divisions. No division may have this name. */
export const overallKey = 'all'

/** `lastSubmissionTime` of a team that has no solve with points. */
export const noSubmissionTime = '0001-01-01T00:00:00+00:00'

/** Returns the rights of each division on a board, by division id. */
export function divisionRightsById({ divisions = [] }: Pick<Scoreboard, 'divisions'>): Map<number, DivisionRights> {
  return new Map(
    divisions.map(({ id, defaultPermissions, challengeConfigs }) => [
      id,
      {
        defaultPermissions,
        overrides: new Map(Object.values(challengeConfigs).map(({ challengeId, permissions }) => [challengeId, permissions])),
      },
    ]),
  )
}

/** True if the team has a rank among the teams of all divisions. @param divisions rights by division id */
export function isRankedOverall({ divisionId }: ScoreboardTeam, divisions: ReadonlyMap<number, DivisionRights>): boolean {
  const division = divisions.get(divisionId ?? 0)
  return division === undefined || hasRight(division.defaultPermissions, 'rank')
}

function pointsOf(solved: readonly SolvedChallenge[]): number {
  return solved.reduce((sum, { score }) => sum + score, 0)
}

function timelineOf({
  id,
  name,
  solvedChallenges,
  awards = [],
  foundFlags = [],
  boughtHints = [],
}: ScoreboardTeam): TeamTimeline {
  const steps = solvedChallenges.map(({ time, score }) => ({ time, points: score }))
  if (awards.length > 0 || foundFlags.length > 0 || boughtHints.length > 0) {
    steps.unshift(...[...awards, ...foundFlags].map(({ time, points }) => ({ time: new Date(time).toISOString(), points })))
    steps.push(...boughtHints.map(({ time, price }) => ({ time: new Date(time).toISOString(), points: -price })))
    steps.sort((left, right) => Date.parse(left.time) - Date.parse(right.time))
  }
  let total = 0
  const items = steps.map(({ time, points }) => {
    total += points
    return { time, score: total }
  })
  return { id, name, items }
}

/**
 * Assigns ranks to ordered teams. If the ranks of a team do not change, the result contains the same object for this team.
 * @param rankedCount number of teams at the start of `ordered` that get an overall rank. All other teams get rank 0
 */
export function rankTeams(ordered: readonly ScoreboardTeam[], rankedCount: number): ScoreboardTeam[] {
  const sizes = new Map<string, number>()
  return ordered.map((team, index) => {
    const rank = index < rankedCount ? index + 1 : 0
    let organizationRank: number | null = null
    if (team.organization !== null) {
      organizationRank = (sizes.get(team.organization) ?? 0) + 1
      sizes.set(team.organization, organizationRank)
    }
    const isSame = team.rank === rank && team.organizationRank === organizationRank
    return isSame ? team : { ...team, rank, organizationRank, divisionRank: organizationRank }
  })
}

/**
 * Returns the timelines of the first ten teams among all teams (key `all`) and in each division that has teams. A team without an
 * overall rank is only in the list of its division.
 * @param ranked teams in the order of their ranks
 */
export function timelinesOf(ranked: readonly ScoreboardTeam[]): Record<string, TeamTimeline[]> {
  const firsts = new Map<string, ScoreboardTeam[]>()
  for (const team of ranked) {
    if (team.organization === null) continue
    const members = firsts.get(team.organization)
    if (!members) firsts.set(team.organization, [team])
    else if (members.length < Limits.timelineTeams) members.push(team)
  }
  firsts.set(
    overallKey,
    ranked.slice(0, Limits.timelineTeams).filter(({ rank }) => rank > 0),
  )
  return Object.fromEntries([...firsts].map(([key, teams]) => [key, teams.map(timelineOf)]))
}

type TeamOrder = (left: ScoreboardTeam, right: ScoreboardTeam) => number

/**
 * True if the team has a solve with points. Teams with equal scores are ordered by the time of this last solve, the earliest
 * first.
 */
function hasTime({ lastSubmissionTime }: ScoreboardTeam): boolean {
  return lastSubmissionTime !== noSubmissionTime
}

/**
 * True if both teams have the same score and the same time of their last solve with points. The board then does not show which
 * team is ahead.
 */
function areTied(left: ScoreboardTeam, right: ScoreboardTeam): boolean {
  return left.score === right.score && left.lastSubmissionTime === right.lastSubmissionTime && hasTime(left)
}

/**
 * Returns the ids of tied teams, as one list per tie, in the order of their rows. Clients need them, because times on the board
 * do not show the order of tied teams.
 * @param ranked teams in the order of their ranks
 */
export function listTies(ranked: readonly ScoreboardTeam[]): number[][] {
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

function orderByTies(ties: readonly (readonly number[])[]): TeamOrder {
  const places = new Map(ties.flatMap((ids) => ids.map((id, place) => [id, place] as const)))
  return (left, right) => (places.get(left.id) ?? 0) - (places.get(right.id) ?? 0)
}

/**
 * Compares teams by score, highest first, and then by the time of the last solve with points. Teams without such a solve come
 * last, ordered by id. All other ties are ordered by `compareTied`.
 */
function orderBy(compareTied: TeamOrder): TeamOrder {
  return (left, right) => {
    if (left.score !== right.score) return right.score - left.score
    if (!hasTime(left) || !hasTime(right)) {
      if (hasTime(left) === hasTime(right)) return left.id - right.id
      return hasTime(left) ? -1 : 1
    }
    // All times have the same format, so comparing them as text compares them by time.
    if (left.lastSubmissionTime !== right.lastSubmissionTime) return left.lastSubmissionTime < right.lastSubmissionTime ? -1 : 1
    return compareTied(left, right)
  }
}

/**
 * Applies changed rows to a board. Computes the points of all teams again from the new values of the challenges. Unchanged rows
 * remain the same objects. Rules: docs/contract/scoreboard-and-events.md#changes.
 * @param changes changes with at least one row; `whole` must not be set
 * @throws RangeError if the changes belong to another board
 */
export function applyBoardChanges(board: Scoreboard, changes: BoardChanges): Scoreboard {
  const pointsAt = createPointsByPlace(board)
  const columns = Object.values(board.challenges).flat()
  const fixed = new Set(columns.flatMap(({ id, isValueFixed }) => (isValueFixed ? [id] : [])))
  const values = new Map(changes.challenges.map((value) => [value.id, value]))
  const presentValue = (id: number): BoardValue => {
    const value = values.get(id)
    if (!value) throw new RangeError('A challenge that is not on this board')
    return value
  }
  const divisions = divisionRightsById(board)
  const rowOf = ({ id: teamId, ...team }: ScoreboardTeam): ScoreboardTeam => {
    const division = divisions.get(team.divisionId ?? 0)
    const solvedChallenges = team.solvedChallenges.map((solved) => {
      const { score: value, bloods } = presentValue(solved.id)
      // The challenge has a fixed value, so the points of this solve do not change.
      if (fixed.has(solved.id)) return solved
      const place = bloods.indexOf(teamId) + 1
      const hasPoints = hasRight(rightsForChallenge(division, solved.id), 'points')
      const [type, score] = [solveRankOf(place), hasPoints ? pointsAt(value, place) : 0]
      return solved.type === type && solved.score === score ? solved : { ...solved, type, score }
    })
    // Replace only the points of the solves. The points of awards, found flags and purchases do not change.
    const score = team.score - pointsOf(team.solvedChallenges) + pointsOf(solvedChallenges)
    return { id: teamId, ...team, score, solvedChallenges }
  }
  const isSame = (left: ScoreboardTeam, right: ScoreboardTeam) =>
    left.score === right.score && left.solvedChallenges.every((solved, index) => solved === right.solvedChallenges[index])
  const rows = new Map(board.items.map((team) => [team.id, team]))
  for (const team of changes.teams) rows.set(team.id, team)
  for (const id of changes.removed) rows.delete(id)
  for (const team of rows.values()) {
    const row = rowOf(team)
    if (!isSame(row, team)) rows.set(team.id, row)
  }
  const inOrder = [...rows.values()].sort(orderBy(orderByTies(changes.ties)))
  const isRanked = (team: ScoreboardTeam) => isRankedOverall(team, divisions)
  const ranked = inOrder.filter(isRanked)
  const items = rankTeams([...ranked, ...inOrder.filter((team) => !isRanked(team))], ranked.length)
  const bloodOf = (challengeId: number, teamId: number): BloodEntry => {
    const team = rows.get(teamId)
    const solved = team?.solvedChallenges.find(({ id }) => id === challengeId)
    if (!team || !solved) throw new RangeError('A solve of a team that is not on this board')
    return { id: teamId, name: team.name, avatar: team.avatar, submitTimeUtc: solved.time }
  }
  const columnOf = (column: BoardChallenge): BoardChallenge => {
    const { score, solved, bloods } = presentValue(column.id)
    return { ...column, score, solved, bloods: bloods.map((teamId) => bloodOf(column.id, teamId)) }
  }
  return {
    updateTimeUtc: changes.updateTimeUtc,
    bloodBonus: board.bloodBonus,
    ...(board.bloodPoints && { bloodPoints: board.bloodPoints }),
    timeLines: timelinesOf(items),
    ...(board.divisions && { divisions: board.divisions }),
    items,
    challenges: Object.fromEntries(Object.entries(board.challenges).map(([category, list]) => [category, list.map(columnOf)])),
    challengeCount: board.challengeCount,
  }
}
