import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { BoardChallenge, PlayerBoard, Scoreboard, SolvedChallenge } from '@capstan/contract/scoreboard'
import { categories } from '../../components/ui/category.tsx'

export type BoardSort = 'title' | 'points' | 'solves' | 'newest'

export const boardSorts = ['title', 'points', 'solves', 'newest'] as const satisfies readonly BoardSort[]

/** One category of the board. `challenges` are those to show, the counts are of all. */
export interface BoardGroup {
  readonly category: ChallengeCategory
  readonly challenges: readonly BoardChallenge[]
  readonly solved: number
  readonly total: number
}

export interface BoardFilter {
  readonly category: ChallengeCategory | undefined
  /** Challenges that match what is searched for. */
  readonly found: ReadonlySet<number>
  readonly hideSolved: boolean
  readonly sort: BoardSort
}

/** The team's own solves by challenge. */
export const solvesOf = (board: PlayerBoard): ReadonlyMap<number, SolvedChallenge> =>
  new Map(board.rank?.solvedChallenges.map((solve) => [solve.id, solve]))

/** All categories of the board in the order of the contract. */
export function groupsOf(challenges: PlayerBoard['challenges'], solved: ReadonlySet<number>): BoardGroup[] {
  return categories.flatMap((category) => {
    const members = challenges[category] ?? []
    if (members.length === 0) return []
    return [
      {
        category,
        challenges: members,
        solved: members.filter((challenge) => solved.has(challenge.id)).length,
        total: members.length,
      },
    ]
  })
}

const byTitle = (one: BoardChallenge, other: BoardChallenge) => one.title.localeCompare(other.title)

/** Most points, most solves or made last first; equal ones by title. */
export const compareBy = (sort: BoardSort): ((one: BoardChallenge, other: BoardChallenge) => number) => {
  if (sort === 'points') return (one, other) => other.score - one.score || byTitle(one, other)
  if (sort === 'solves') return (one, other) => other.solved - one.solved || byTitle(one, other)
  // Ids are given in order.
  if (sort === 'newest') return (one, other) => other.id - one.id
  return byTitle
}

/** The groups as filtered and sorted; those with nothing to show are left out. */
export function filterGroups(groups: readonly BoardGroup[], filter: BoardFilter, solved: ReadonlySet<number>): BoardGroup[] {
  const { category, found, hideSolved, sort } = filter
  return groups
    .filter((group) => category === undefined || group.category === category)
    .map((group) => ({
      ...group,
      challenges: group.challenges
        .filter((challenge) => found.has(challenge.id) && !(hideSolved && solved.has(challenge.id)))
        .toSorted(compareBy(sort)),
    }))
    .filter((group) => group.challenges.length > 0)
}

/** Neighbors in the order shown; a challenge that the filter hides has the whole order's ends as neighbors. */
export function neighborsOf(order: readonly BoardChallenge[], id: number) {
  const at = order.findIndex((challenge) => challenge.id === id)
  if (at < 0) return { previous: undefined, next: order[0] }
  return { previous: order[at - 1], next: order[at + 1] }
}

/** The first after this one that is not solved yet, from the beginning again at the end of the order. */
export function nextUnsolvedOf(
  order: readonly BoardChallenge[],
  solved: Pick<ReadonlySet<number>, 'has'>,
  id: number,
): BoardChallenge | undefined {
  const at = order.findIndex((challenge) => challenge.id === id)
  return [...order.slice(at + 1), ...order.slice(0, Math.max(0, at))].find((other) => !solved.has(other.id) && other.id !== id)
}

export interface Solver {
  readonly teamId: number
  readonly name: string
  readonly avatar: string | null
  readonly solve: SolvedChallenge
}

/** Teams that solved a challenge, latest first. */
export function solversOf(board: Scoreboard, challengeId: number): Solver[] {
  return board.items
    .flatMap((team) => {
      const solve = team.solvedChallenges.find(({ id }) => id === challengeId)
      return solve ? [{ teamId: team.id, name: team.name, avatar: team.avatar ?? null, solve }] : []
    })
    .sort((one, other) => Date.parse(other.solve.time) - Date.parse(one.solve.time))
}
