import type { ChallengeMarks, Difficulty } from '@capstan/contract/challenge-labels'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { availablePoints } from '@capstan/contract/score'
import type { BoardChallenge, PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import { normalizedTagKey } from '@capstan/contract/tags'
import { difficulties } from '@capstan/contract/vocabulary'
import { categories } from '../../components/ui/category.tsx'

export const boardSorts = ['title', 'points', 'solves', 'newest', 'difficulty'] as const
export type BoardSort = (typeof boardSorts)[number]

/** Tags, difficulty and other details of challenges, by challenge id. A challenge is missing until its details are read. */
export type Marks = ReadonlyMap<number, ChallengeMarks>

export type BoardGroup = Readonly<{
  category: ChallengeCategory
  challenges: readonly BoardChallenge[]
  solved: number
  total: number
}>

export type BoardFilter = Readonly<{
  category: ChallengeCategory | undefined
  found: ReadonlySet<number>
  hideSolved: boolean
  difficulty?: Difficulty | undefined
  tag?: string | undefined
  sort: BoardSort
}>

export function mapOwnSolvesById(board: PlayerBoard): ReadonlyMap<number, SolvedChallenge> {
  return new Map(board.rank?.solvedChallenges.map((solve) => [solve.id, solve]))
}

/** Returns all categories of the board, in the contract's order. */
export function listCategoryGroups(challenges: PlayerBoard['challenges'], solved: ReadonlySet<number>): BoardGroup[] {
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

function byTitle(one: BoardChallenge, other: BoardChallenge) {
  return one.title.localeCompare(other.title)
}

/** Returns the level of a difficulty, starting at 1. Unrated challenges have the highest number. */
export function levelOfDifficulty(difficulty: Difficulty | null | undefined): number {
  return difficulty ? difficulties.indexOf(difficulty) + 1 : difficulties.length + 1
}

/** Compares challenges by points, solves, age or difficulty. Challenges that are equal in this respect are sorted by title. */
export function createChallengeComparator(sort: BoardSort, marks: Marks): (one: BoardChallenge, other: BoardChallenge) => number {
  if (sort === 'points') return (one, other) => availablePoints(other) - availablePoints(one) || byTitle(one, other)
  if (sort === 'solves') return (one, other) => other.solved - one.solved || byTitle(one, other)
  // The server assigns ids in the order of creation, so a higher id means a newer challenge.
  if (sort === 'newest') return (one, other) => other.id - one.id
  if (sort === 'difficulty')
    return (one, other) =>
      levelOfDifficulty(marks.get(one.id)?.difficulty) - levelOfDifficulty(marks.get(other.id)?.difficulty) || byTitle(one, other)
  return byTitle
}

/** Returns the available filters: difficulties in their order, and tags by number of challenges. */
export function listFilterChoices(challenges: PlayerBoard['challenges'], marks: Marks) {
  const given = Object.values(challenges)
    .flat()
    .flatMap(({ id }) => marks.get(id) ?? [])
  const byTag = Map.groupBy(
    given.flatMap(({ tags }) => tags),
    normalizedTagKey,
  )
  return {
    difficulties: difficulties.filter((known) => given.some(({ difficulty }) => difficulty === known)),
    tags: [...byTag.values()]
      .flatMap(([tag, ...others]) => (tag === undefined ? [] : [{ tag, count: others.length }]))
      .toSorted((one, other) => other.count - one.count || one.tag.localeCompare(other.tag))
      .map(({ tag }) => tag),
  }
}

/** Returns the groups after filtering and sorting their challenges. Omits empty groups. */
export function filterGroups(
  groups: readonly BoardGroup[],
  filter: BoardFilter,
  solved: ReadonlySet<number>,
  marks: Marks,
): BoardGroup[] {
  const { category, found, hideSolved, difficulty, tag, sort } = filter
  const wanted = tag && normalizedTagKey(tag)
  const isLabeled = (id: number) =>
    (!difficulty || marks.get(id)?.difficulty === difficulty) &&
    (!wanted || (marks.get(id)?.tags.some((each) => normalizedTagKey(each) === wanted) ?? false))
  return groups
    .filter((group) => category === undefined || group.category === category)
    .map((group) => ({
      ...group,
      challenges: group.challenges
        .filter(({ id }) => found.has(id) && isLabeled(id) && !(hideSolved && solved.has(id)))
        .toSorted(createChallengeComparator(sort, marks)),
    }))
    .filter((group) => group.challenges.length > 0)
}

/**
 * Returns the previous and the next challenge in the displayed order. If filters hide the challenge, the next one is the first
 * displayed challenge.
 */
export function findNeighbors(order: readonly BoardChallenge[], id: number) {
  const at = order.findIndex((challenge) => challenge.id === id)
  if (at < 0) return { previous: undefined, next: order[0] }
  return { previous: order[at - 1], next: order[at + 1] }
}

/** Returns the next unsolved challenge after the current one. After the last challenge, the search continues with the first. */
export function findNextUnsolved(
  order: readonly BoardChallenge[],
  solved: Pick<ReadonlySet<number>, 'has'>,
  id: number,
): BoardChallenge | undefined {
  const at = order.findIndex((challenge) => challenge.id === id)
  return [...order.slice(at + 1), ...order.slice(0, Math.max(0, at))].find((other) => !solved.has(other.id) && other.id !== id)
}
