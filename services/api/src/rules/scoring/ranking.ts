import { type BloodPoints, createPointsByPlace, decodeBloodBonus, encodeBloodBonus, solveRankOf } from '@capstan/contract/blood'
import type { ChallengeSolvers, Solver } from '@capstan/contract/board-parts'
import { divisionRightsById, noSubmissionTime, rankTeams, timelinesOf } from '@capstan/contract/board-rules'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { type DivisionRights, hasRight, rightsForChallenge } from '@capstan/contract/division-rights'
import type { BoughtHint } from '@capstan/contract/hints'
import { Limits } from '@capstan/contract/limits'
import { canSubmissionScorePoints, scoringEndOf } from '@capstan/contract/phases'
import { challengeValue, type ScoreCurve } from '@capstan/contract/score'
import type {
  BoardAward,
  BoardChallenge,
  BoardDivision,
  Scoreboard,
  ScoreboardTeam,
  SolvedChallenge,
} from '@capstan/contract/scoreboard'
import { challengeCategories } from '@capstan/contract/vocabulary'
import type { StoredStatus } from './participation.ts'

export type RankedGame = Readonly<{
  end: Date
  /** Blood bonus in the encoding of the database and the API: three parts of ten bits. */
  bloodBonus: number
  /** Blood bonuses in points, which replace `bloodBonus`. Default: null. */
  bloodPoints?: BloodPoints | null
}>

export type RankedChallenge = ScoreCurve &
  Readonly<{
    id: number
    title: string
    category: ChallengeCategory
    isEnabled: boolean
    hasBloods: boolean
    /** Instant from which solves do not count. Null if there is no deadline. */
    deadline: Date | null
    /** True if the value of each solve is fixed at the time of the solve. Otherwise all solves have the current value. */
    isValueFixed: boolean
    /** Sum of the points of the challenge's flags. Default: 0. */
    flagPoints?: number
  }>

export type RankedParticipation = Readonly<{
  id: number
  status: StoredStatus
  /** Name of the division, which the API calls `organization`. */
  division: string | null
  team: RankedTeam
  /** Awards in order of time. Default: none. */
  awards?: readonly BoardAward[]
  /** Flags that the team has found, in any order. Default: none. */
  foundFlags?: readonly RankedFlag[]
  /** Bought hints in order of time. Default: none. */
  boughtHints?: readonly RankedPurchase[]
}>

/** Flag that a team found, in a challenge with several flags to find. */
export type RankedFlag = Readonly<{
  challengeId: number
  submissionId: number
  points: number
  foundAt: Date
}>

export type RankedPurchase = BoughtHint &
  Readonly<{
    challengeId: number
  }>

export type RankedDivision = DivisionRights &
  Readonly<{
    id: number
    name: string
  }>

export type RankedTeam = Readonly<{
  id: number
  name: string
  bio: string | null
  /** Avatar as a URL path, not as a hash. */
  avatar: string | null
}>

export type RankedSolve = Readonly<{
  submissionId: number
  participationId: number
  challengeId: number
  userName: string | null
  submittedAt: Date
}>

export type ScoreboardFacts = Readonly<{
  game: RankedGame
  challenges: readonly RankedChallenge[]
  /** Divisions sorted by id. Teams whose division is not in the list have all rights. */
  divisions: readonly RankedDivision[]
  participations: readonly RankedParticipation[]
  /** All solves of the game, in any order. */
  solves: readonly RankedSolve[]
  updatedAt: Date
}>

/** Data about one enabled challenge, for the calculation of a board. */
interface Column {
  readonly challenge: RankedChallenge
  /** Solves in order of time. */
  readonly solves: CountedSolve[]
  /** Instant from which solves no longer count. */
  readonly scoredUntil: Date
  /**
   * Solves by teams with the right to bloods, in order. The first three solves are the bloods. Empty if the challenge has no
   * bloods.
   */
  readonly bloods: CountedSolve[]
  /** Number of solves that count for the value of the challenge. */
  solvers: number
  /** Array with one element for each `Row.index`: 1 if the team has solved the challenge, else 0. */
  readonly isSolvedBy: Uint8Array
}

/** Data about one accepted team, for the calculation of a board. */
interface Row {
  /** Index of the team among the accepted participations. */
  readonly index: number
  readonly participation: RankedParticipation
  readonly division: RankedDivision | undefined
  /** True if the team has a rank among all teams. */
  readonly isRanked: boolean
  /** Solves in order of time. */
  readonly solves: CountedSolve[]
  /** Purchases that count, in order of time. */
  readonly purchases: readonly RankedPurchase[]
  /** Flags that the team has found and that count for the score, in order of time. */
  readonly foundFlags: readonly RankedFlag[]
  /** Latest submission with points. Teams with equal scores are ordered by this submission. */
  lastCounted: CountedSubmission | undefined
  score: number
}

type CountedSubmission = Pick<RankedSolve, 'submissionId' | 'submittedAt'>

interface CountedSolve {
  readonly row: Row
  readonly column: Column
  readonly solve: RankedSolve
  /**
   * Position of the solve among all solves by teams with the right to bloods, from 1 on. 0 if the team lacks this right, or if the
   * challenge has no bloods.
   */
  readonly bloodPlace: number
  readonly hasPoints: boolean
  /** Value of the challenge immediately after this solve. Used only if `isValueFixed` is true. */
  readonly fixedValue: number
  readonly time: string
  points: number
}

export function compareSolves(left: CountedSubmission, right: CountedSubmission): number {
  return left.submittedAt.getTime() - right.submittedAt.getTime() || left.submissionId - right.submissionId
}

/**
 * Adds each solve to its team and its challenge in a single pass, in order of time. Rules:
 * docs/contract/scoreboard-and-events.md#ranking.
 * @returns the number of solvers of the most-solved challenge
 */
function countSolves(facts: ScoreboardFacts, rows: ReadonlyMap<number, Row>, columns: ReadonlyMap<number, Column>): number {
  let most = 0
  for (const solve of facts.solves.toSorted(compareSolves)) {
    const row = rows.get(solve.participationId)
    const column = columns.get(solve.challengeId)
    if (
      !row ||
      !column ||
      column.isSolvedBy[row.index] === 1 ||
      !canSubmissionScorePoints(solve.submittedAt, { end: column.scoredUntil })
    )
      continue
    column.isSolvedBy[row.index] = 1
    const { challenge } = column
    const rights = rightsForChallenge(row.division, challenge.id)
    const takesBlood = challenge.hasBloods && hasRight(rights, 'bloods')
    if (hasRight(rights, 'value')) column.solvers += 1
    most = Math.max(most, column.solvers)
    const counted = {
      ...{ row, column, solve, time: solve.submittedAt.toISOString(), points: 0 },
      bloodPlace: takesBlood ? column.bloods.length + 1 : 0,
      hasPoints: hasRight(rights, 'points'),
      fixedValue: challenge.isValueFixed ? challengeValue(challenge, column.solvers, most) : 0,
    }
    row.solves.push(counted)
    column.solves.push(counted)
    if (takesBlood) column.bloods.push(counted)
    if (counted.hasPoints && !(row.lastCounted && compareSolves(row.lastCounted, solve) > 0)) row.lastCounted = solve
  }
  return most
}

/** Sets the points of all counted solves. Call this last, because the value of a challenge depends on its number of solvers. */
function award(columns: Iterable<Column>, game: RankedGame, most: number): void {
  const pointsAt = createPointsByPlace(game)
  for (const { challenge, solves, solvers } of columns) {
    const value = challengeValue(challenge, solvers, most)
    for (const counted of solves) {
      if (!counted.hasPoints) continue
      counted.points = pointsAt(challenge.isValueFixed ? counted.fixedValue : value, counted.bloodPlace)
      counted.row.score += counted.points
    }
  }
}

function compareRows(left: Row, right: Row): number {
  if (left.isRanked !== right.isRanked) return left.isRanked ? -1 : 1
  if (left.score !== right.score) return right.score - left.score
  const { lastCounted: leftLast } = left
  const { lastCounted: rightLast } = right
  if (leftLast && rightLast) return compareSolves(leftLast, rightLast)
  if (leftLast || rightLast) return leftLast ? -1 : 1
  return left.participation.team.id - right.participation.team.id
}

function presentSolve({ column, solve, bloodPlace, time, points }: CountedSolve): SolvedChallenge {
  return {
    id: column.challenge.id,
    score: points,
    type: solveRankOf(bloodPlace),
    userName: solve.userName,
    time,
  }
}

/**
 * Returns the row of a team that is not on the board, with rank 0 and no solves. Rules:
 * docs/contract/scoreboard-and-events.md#ranking.
 */
export function createUnrankedTeam(team: RankedTeam, division: string | null, divisionId: number | null): ScoreboardTeam {
  return {
    id: team.id,
    name: team.name,
    bio: team.bio,
    organization: division,
    divisionId,
    avatar: team.avatar,
    score: 0,
    rank: 0,
    organizationRank: null,
    divisionRank: null,
    lastSubmissionTime: noSubmissionTime,
    solvedChallenges: [],
    solvedCount: 0,
  }
}

function presentRow({ participation, division, solves, foundFlags, purchases, lastCounted, score }: Row): ScoreboardTeam {
  return {
    ...createUnrankedTeam(participation.team, participation.division, division?.id ?? null),
    score,
    lastSubmissionTime: lastCounted?.submittedAt.toISOString() ?? noSubmissionTime,
    solvedChallenges: solves.map(presentSolve),
    solvedCount: solves.length,
    ...(participation.awards?.length && { awards: [...participation.awards] }),
    ...(foundFlags.length > 0 && {
      foundFlags: foundFlags.map(({ challengeId, points, foundAt }) => ({ id: challengeId, points, time: foundAt.getTime() })),
    }),
    ...(purchases.length > 0 && { boughtHints: purchases.map(({ price, time }) => ({ price, time })) }),
  }
}

function presentColumn({ challenge, solvers, bloods }: Column, most: number): BoardChallenge {
  return {
    id: challenge.id,
    title: challenge.title,
    category: challenge.category,
    score: challengeValue(challenge, solvers, most),
    solved: solvers,
    bloods: bloods.slice(0, Limits.bloodsPerChallenge).map(({ row, time }) => {
      const { id, name, avatar } = row.participation.team
      return { id, name, avatar, submitTimeUtc: time }
    }),
    disableBloodBonus: !challenge.hasBloods,
    deadline: challenge.deadline?.getTime() ?? null,
    ...(challenge.flagPoints && { flagPoints: challenge.flagPoints }),
    ...(challenge.isValueFixed && { isValueFixed: true }),
  }
}

/**
 * Returns the number of solvers and the latest solvers of each challenge of the board. Includes only solves that count for the
 * challenge's value.
 */
export function solversByChallenge(board: Scoreboard): Map<number, ChallengeSolvers> {
  const byChallenge = new Map<number, { count: number; latest: Solver[] }>()
  for (const { id } of Object.values(board.challenges).flat()) byChallenge.set(id, { count: 0, latest: [] })
  const divisions = divisionRightsById(board)
  for (const { id, name, avatar, divisionId, solvedChallenges } of board.items) {
    const division = divisions.get(divisionId ?? 0)
    for (const { id: challengeId, type, time } of solvedChallenges) {
      const found = byChallenge.get(challengeId)
      if (!found || !hasRight(rightsForChallenge(division, challengeId), 'value')) continue
      found.count += 1
      const { latest } = found
      const place = latest.findIndex((other) => other.time < time)
      if (place < 0 && latest.length === Limits.latestSolvers) continue
      latest.splice(place < 0 ? latest.length : place, 0, { id, name, avatar, type, time })
      latest.length = Math.min(latest.length, Limits.latestSolvers)
    }
  }
  return byChallenge
}

/** Presents a division. Omits overrides for challenges that players do not see, because the overrides would reveal their ids. */
function presentDivision(division: RankedDivision, columns: ReadonlyMap<number, Column>): BoardDivision {
  const { id, name, defaultPermissions, overrides } = division
  const shown = [...overrides].filter(([challengeId]) => columns.has(challengeId))
  const configs = shown.map(([challengeId, permissions]) => [challengeId, { challengeId, permissions }])
  return { id, name, defaultPermissions, challengeConfigs: Object.fromEntries(configs) }
}

/**
 * Returns the found flags that count, in order of time. A found flag counts if it has points, its challenge is enabled, and the
 * team found it before the end of the game and the deadline of the challenge.
 */
function countedFlags(
  { foundFlags = [] }: RankedParticipation,
  division: RankedDivision | undefined,
  columns: ReadonlyMap<number, Column>,
): RankedFlag[] {
  return foundFlags
    .filter(({ challengeId, points, foundAt }) => {
      const column = columns.get(challengeId)
      if (!column || points === 0 || !canSubmissionScorePoints(foundAt, { end: column.scoredUntil })) return false
      return hasRight(rightsForChallenge(division, challengeId), 'points')
    })
    .sort(compareFoundFlags)
}

export function compareFoundFlags(left: RankedFlag, right: RankedFlag): number {
  return compareSolves(submissionOf(left), submissionOf(right))
}

function submissionOf({ submissionId, foundAt }: RankedFlag): CountedSubmission {
  return { submissionId, submittedAt: foundAt }
}

/** Compares titles by code units, so the order is independent of the machine's language. */
function compareTitles(left: BoardChallenge, right: BoardChallenge): number {
  if (left.title !== right.title) return left.title < right.title ? -1 : 1
  return left.id - right.id
}

/**
 * Groups challenges by category. Categories have the order of the enumeration, and challenges are sorted by title. Empty
 * categories are omitted.
 */
function presentColumns(columns: Iterable<Column>, most: number): Record<string, BoardChallenge[]> {
  const byCategory = Map.groupBy(columns, ({ challenge }) => challenge.category)
  return Object.fromEntries(
    challengeCategories.flatMap((category) => {
      const members = byCategory.get(category)
      return members ? [[category, members.map((column) => presentColumn(column, most)).sort(compareTitles)]] : []
    }),
  )
}

/**
 * Builds the scoreboard of a game in O(n log n), where n is the number of solves. Rules:
 * docs/contract/scoreboard-and-events.md#ranking.
 */
export function buildScoreboard(facts: ScoreboardFacts): Scoreboard {
  const accepted = facts.participations.filter(({ status }) => status === 'Accepted')
  const divisions = new Map(facts.divisions.map((division) => [division.name, division]))
  const newColumn = (challenge: RankedChallenge): Column => ({
    challenge,
    solves: [],
    bloods: [],
    solvers: 0,
    scoredUntil: scoringEndOf(facts.game, challenge.deadline),
    isSolvedBy: new Uint8Array(accepted.length),
  })
  const enabled = facts.challenges.filter(({ isEnabled }) => isEnabled)
  const columns = new Map(enabled.map((challenge) => [challenge.id, newColumn(challenge)]))
  const newRow = (participation: RankedParticipation, index: number): Row => {
    const { awards = [], boughtHints = [] } = participation
    const division = participation.division === null ? undefined : divisions.get(participation.division)
    const isRanked = division === undefined || hasRight(division.defaultPermissions, 'rank')
    // Like solves, purchases do not count after the end or for disabled challenges.
    const purchases = boughtHints.filter(
      ({ challengeId, price, time }) =>
        price > 0 && columns.has(challengeId) && canSubmissionScorePoints(new Date(time), facts.game),
    )
    const awarded = awards.reduce((sum, { points }) => sum + points, 0)
    const foundFlags = countedFlags(participation, division, columns)
    const found = foundFlags.reduce((sum, { points }) => sum + points, awarded)
    const score = purchases.reduce((sum, { price }) => sum - price, found)
    const last = foundFlags.at(-1)
    const lastCounted = last && submissionOf(last)
    return { index, participation, division, isRanked, solves: [], purchases, foundFlags, lastCounted, score }
  }
  const rows = new Map(accepted.map((participation, index) => [participation.id, newRow(participation, index)]))

  const { bloodBonus, bloodPoints } = facts.game
  const most = countSolves(facts, rows, columns)
  award(columns.values(), facts.game, most)

  const ordered = [...rows.values()].sort(compareRows)
  const items = rankTeams(ordered.map(presentRow), ordered.filter(({ isRanked }) => isRanked).length)
  return {
    updateTimeUtc: facts.updatedAt.toISOString(),
    bloodBonus: encodeBloodBonus(decodeBloodBonus(bloodBonus)),
    ...(bloodPoints && { bloodPoints }),
    timeLines: timelinesOf(items),
    divisions: facts.divisions.map((division) => presentDivision(division, columns)),
    items,
    challenges: presentColumns(columns.values(), most),
    challengeCount: columns.size,
  }
}

/**
 * Returns the counted solves in order of time, each with a key. The key consists of the submission id and the rights of the team.
 */
function countedSolves({ game, challenges, divisions, participations, solves }: Omit<ScoreboardFacts, 'updatedAt'>) {
  const ends = new Map(
    challenges.flatMap((each) => (each.isEnabled ? [[each.id, scoringEndOf(game, each.deadline)] as const] : [])),
  )
  const byName = new Map(divisions.map((division) => [division.name, division]))
  const accepted = new Map(participations.flatMap((each) => (each.status === 'Accepted' ? [[each.id, each] as const] : [])))
  return solves.flatMap((solve) => {
    const participation = accepted.get(solve.participationId)
    const end = ends.get(solve.challengeId)
    if (!participation || !end || !canSubmissionScorePoints(solve.submittedAt, { end })) return []
    const rights = rightsForChallenge(byName.get(participation.division ?? ''), solve.challengeId)
    return [{ teamId: participation.team.id, key: `${solve.submissionId} ${rights}` }]
  })
}

/**
 * True if the points of earlier solves cannot have changed. Considers only challenges with `isValueFixed`.
 * @param before the earlier data of a game, with the solves in order of time
 * @param after the later data of the game, with the solves in order of time
 * @param transactionCounts for each team id, the number of transactions that changed the team
 */
export function areFixedValuesUnchanged(
  before: Omit<ScoreboardFacts, 'updatedAt'>,
  after: Omit<ScoreboardFacts, 'updatedAt'>,
  transactionCounts: ReadonlyMap<number, number>,
): boolean {
  if (!after.challenges.some(({ isValueFixed }) => isValueFixed)) return true
  const [earlier, later] = [countedSolves(before), countedSolves(after)]
  if (!earlier.every(({ key }, index) => key === later[index]?.key)) return false
  const added = Map.groupBy(later.slice(earlier.length), ({ teamId }) => teamId)
  return [...transactionCounts].every(([teamId, count]) => count <= (added.get(teamId)?.length ?? 0))
}
