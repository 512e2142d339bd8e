import type { TeamAward } from '@capstan/contract/awards'
import { divisionRightsById, noSubmissionTime } from '@capstan/contract/board-rules'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { hasRight, rightsForChallenge } from '@capstan/contract/division-rights'
import { availablePoints } from '@capstan/contract/score'
import type {
  BloodEntry,
  BoardAward,
  BoardChallenge,
  Scoreboard,
  ScoreboardTeam,
  SolvedChallenge,
} from '@capstan/contract/scoreboard'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { type BloodPlace, bloodPlace } from '../../components/ui/blood-shape.ts'
import { categories } from '../../components/ui/category.tsx'

/** Key of the timeline of all teams. Every other key is the name of a division. */
export const overall = 'all'

export type ChallengeColumn = BoardChallenge &
  Readonly<{
    category: ChallengeCategory
    opensCategory: boolean
  }>

export type ColumnGroup = Readonly<{
  category: ChallengeCategory
  from: number
  count: number
}>

/** Number of first, second and third bloods. */
export type BloodCounts = readonly [first: number, second: number, third: number]

/** Row of a team, with its rank in the displayed list. */
export type Standing = Readonly<{
  team: ScoreboardTeam
  /** Rank within the selected division or overall, starting at 1. */
  rank: number
  solves: ReadonlyMap<number, SolvedChallenge>
  bloods: BloodCounts
}>

export function listBoardDivisions(board: Pick<Scoreboard, 'timeLines'>): readonly string[] {
  return Object.keys(board.timeLines).filter((key) => key !== overall)
}

export function findDivision(board: Pick<Scoreboard, 'timeLines'>, wanted: string | null): string {
  return wanted !== null && listBoardDivisions(board).includes(wanted) ? wanted : overall
}

/**
 * Returns the challenges in display order. Categories have the contract's order. Challenges of a category have the server's order.
 * If a division is selected, only the teams of the division count for bloods.
 */
export function listColumns(
  board: Pick<Scoreboard, 'challenges'> & Partial<Pick<Scoreboard, 'divisions' | 'items'>>,
  division = overall,
): readonly ChallengeColumn[] {
  const bloods = division === overall ? undefined : divisionBloodsOf(board, division)
  return categories.flatMap((category) =>
    (board.challenges[category] ?? []).map((challenge, index) => ({
      ...challenge,
      ...(bloods && { bloods: (bloods.get(challenge.id) ?? []).map(({ entry }) => entry) }),
      category,
      opensCategory: index === 0,
    })),
  )
}

export function listColumnGroups(columns: readonly ChallengeColumn[]): readonly ColumnGroup[] {
  const groups: { category: ChallengeCategory; from: number; count: number }[] = []
  columns.forEach(({ category }, from) => {
    const last = groups.at(-1)
    if (last?.category === category) last.count += 1
    else groups.push({ category, from, count: 1 })
  })
  return groups
}

const standings = new WeakMap<ScoreboardTeam, Map<number, Standing>>()

/**
 * Returns the row of a team with its rank in `division`. The row is computed when it is first displayed, and cached until
 * the next response.
 */
export function getStanding(team: ScoreboardTeam, division: string): Standing {
  const rank = division === overall ? team.rank : (team.organizationRank ?? team.rank)
  const made = standings.get(team) ?? new Map<number, Standing>()
  standings.set(team, made)
  const found = made.get(rank)
  if (found) return found
  const bloods = bloodTypes.map((blood) => team.solvedChallenges.filter(({ type }) => type === blood).length)
  const standing: Standing = {
    team,
    rank,
    solves: new Map(team.solvedChallenges.map((solve) => [solve.id, solve])),
    bloods: [bloods[0] ?? 0, bloods[1] ?? 0, bloods[2] ?? 0],
  }
  made.set(rank, standing)
  return standing
}

/**
 * Returns the bloods of a division: the first three solves of each challenge by its teams. Challenges without bloods are omitted.
 * Solves of teams that lack the right to bloods are omitted too. Simultaneous solves have the same order as in the bloods of all
 * teams.
 */
function divisionBloodsOf(
  { challenges = {}, items = [], ...board }: Partial<Pick<Scoreboard, 'challenges' | 'divisions' | 'items'>>,
  division: string,
) {
  const rights = divisionRightsById(board)
  const withBloods = Object.values(challenges)
    .flat()
    .filter(({ disableBloodBonus }) => !disableBloodBonus)
  const solves = new Map(withBloods.map(({ id }) => [id, [] as { entry: BloodEntry; teamId: number; order: number }[]]))
  for (const { id: teamId, name, avatar, organization, divisionId, solvedChallenges } of items) {
    if (organization !== division) continue
    const own = rights.get(divisionId ?? 0)
    for (const { id, time, type } of solvedChallenges) {
      if (!hasRight(rightsForChallenge(own, id), 'bloods')) continue
      const order = bloodPlace(type) ?? bloodTypes.length + 1
      solves.get(id)?.push({ teamId, order, entry: { id: teamId, name, avatar, submitTimeUtc: time } })
    }
  }
  const timeOf = ({ entry }: { readonly entry: BloodEntry }) => Date.parse(entry.submitTimeUtc ?? '')
  return new Map(
    [...solves].map(([id, list]) => [
      id,
      list.sort((one, other) => timeOf(one) - timeOf(other) || one.order - other.order).slice(0, bloodTypes.length),
    ]),
  )
}

/** Returns the teams of a division, with the bloods within the division. For `overall`, returns all teams that have a rank. */
export function listTeamsOfDivision(
  board: Pick<Scoreboard, 'challenges' | 'divisions' | 'items'>,
  division: string,
): readonly ScoreboardTeam[] {
  if (division === overall) return board.items.filter(({ rank }) => rank > 0)
  const bloods = divisionBloodsOf(board, division)
  return board.items
    .filter((team) => team.organization === division)
    .map((team) => ({
      ...team,
      solvedChallenges: team.solvedChallenges.map((solve) => {
        const place = (bloods.get(solve.id) ?? []).findIndex(({ teamId }) => teamId === team.id)
        return { ...solve, type: bloodTypes[place] ?? ('Normal' as const) }
      }),
    }))
}

/** Returns the teams that have no overall rank, such as organizers and guests. */
export function listUnrankedTeams(board: Pick<Scoreboard, 'items'>): readonly ScoreboardTeam[] {
  return board.items.filter(({ rank }) => rank === 0)
}

/**
 * Returns the time of the last solve of these teams, in ms.
 * @returns undefined if they have no solves
 */
export function timeOfLastSolve(teams: readonly ScoreboardTeam[]): number | undefined {
  const times = teams
    .filter(({ lastSubmissionTime }) => lastSubmissionTime !== noSubmissionTime)
    .map(({ lastSubmissionTime }) => Date.parse(lastSubmissionTime))
  return times.length === 0 ? undefined : times.reduce((last, time) => Math.max(last, time))
}

export type CategoryResult = Readonly<{
  category: ChallengeCategory
  solved: number
  total: number
  points: number
  /** Points of all challenges of the category and of their flags, without bloods. */
  available: number
}>

export function summarizeResultsByCategory(team: ScoreboardTeam, columns: readonly ChallengeColumn[]): readonly CategoryResult[] {
  const { solves } = getStanding(team, overall)
  return listColumnGroups(columns).map(({ category, from, count }) => {
    const challenges = columns.slice(from, from + count)
    const solved = challenges.flatMap(({ id }) => solves.get(id) ?? [])
    const ids = new Set(challenges.map(({ id }) => id))
    const found = (team.foundFlags ?? []).filter(({ id }) => ids.has(id))
    return {
      category,
      solved: solved.length,
      total: count,
      points: solved.reduce((sum, { score }) => sum + score, 0) + found.reduce((sum, { points }) => sum + points, 0),
      available: challenges.reduce((sum, challenge) => sum + availablePoints(challenge), 0),
    }
  })
}

export type SolveEntry = SolvedChallenge &
  Readonly<{
    title: string
    category: ChallengeCategory
    place: BloodPlace | undefined
  }>

export function listTeamSolves(team: ScoreboardTeam, columns: readonly ChallengeColumn[]): readonly SolveEntry[] {
  const byId = new Map(columns.map((column) => [column.id, column]))
  return team.solvedChallenges
    .flatMap((solve) => {
      const column = byId.get(solve.id)
      return column ? [{ ...solve, title: column.title, category: column.category, place: bloodPlace(solve.type) }] : []
    })
    .sort((one, other) => Date.parse(other.time) - Date.parse(one.time))
}

export type AwardEntry = BoardAward &
  Readonly<{
    /** Key of the award, unique within the team. */
    key: string
    /** Reason of the award. Null if only organizers may read it, or if the award belongs to another team. */
    reason: string | null
  }>

/**
 * Returns the awards of a team, newest first.
 * @param own awards of the team with their reasons. Undefined unless the user is a member of the team
 */
export function listAwardsOfTeam({ awards = [] }: ScoreboardTeam, own: readonly TeamAward[] | undefined): readonly AwardEntry[] {
  const list = own ?? awards.map((award, index) => ({ ...award, id: index, reason: null }))
  return list.map(({ id, points, time, reason }) => ({ key: `award-${id}`, points, time, reason })).reverse()
}

export type FoundEntry = Readonly<{
  /** Key of the found flag, unique within the team. */
  key: string
  title: string
  points: number
  time: number
}>

/** Returns the flags that a team has found, newest first. The result includes only challenges with several flags. */
export function listTeamFoundFlags(
  { foundFlags = [] }: ScoreboardTeam,
  columns: readonly ChallengeColumn[],
): readonly FoundEntry[] {
  const titles = new Map(columns.map(({ id, title }) => [id, title]))
  return foundFlags
    .map(({ id, points, time }, index) => ({ key: `flag-${index}`, title: titles.get(id) ?? '', points, time }))
    .reverse()
}

/** Returns the ids of teams whose score grew between two responses. */
export function listTeamsWithHigherScore(
  before: Pick<Scoreboard, 'items'> | undefined,
  after: Pick<Scoreboard, 'items'>,
): ReadonlySet<number> {
  if (!before) return new Set()
  const scores = new Map(before.items.map(({ id, score }) => [id, score]))
  return new Set(after.items.flatMap(({ id, score }) => (score > (scores.get(id) ?? 0) ? [id] : [])))
}

/** Returns the latest solves of these teams, newest first. */
export function listLatestSolves(
  teams: readonly ScoreboardTeam[],
  columns: readonly ChallengeColumn[],
  count: number,
): readonly (SolveEntry & { readonly team: ScoreboardTeam })[] {
  const latest = teams
    .filter(({ solvedCount }) => solvedCount > 0)
    .toSorted((one, other) => Date.parse(other.lastSubmissionTime) - Date.parse(one.lastSubmissionTime))
    .slice(0, count)
  return latest
    .flatMap((team) =>
      listTeamSolves(team, columns)
        .slice(0, count)
        .map((entry) => ({ ...entry, team })),
    )
    .sort((one, other) => Date.parse(other.time) - Date.parse(one.time))
    .slice(0, count)
}
