import type { ChallengeMarks, Difficulty } from '@capstan/contract/challenge-labels'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { BoardChallenge, PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import { tagKey } from '@capstan/contract/tags'
import { difficulties } from '@capstan/contract/vocabulary'
import { categories } from '../../components/ui/category.tsx'

export const boardSorts = ['title', 'points', 'solves', 'newest', 'difficulty'] as const
export type BoardSort = (typeof boardSorts)[number]

/** Of each challenge, as far as they are known. */
export type Marks = ReadonlyMap<number, ChallengeMarks>

/** One category of the board. `challenges` are those to show, the counts are of all. */
export type BoardGroup = Readonly<{
  category: ChallengeCategory
  challenges: readonly BoardChallenge[]
  solved: number
  total: number
}>

export type BoardFilter = Readonly<{
  category: ChallengeCategory | undefined
  /** Challenges that match what is searched for. */
  found: ReadonlySet<number>
  hideSolved: boolean
  difficulty?: Difficulty | undefined
  tag?: string | undefined
  sort: BoardSort
}>

/** The team's own solves by challenge. */
export function solvesOf(board: PlayerBoard): ReadonlyMap<number, SolvedChallenge> {
  return new Map(board.rank?.solvedChallenges.map((solve) => [solve.id, solve]))
}

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

function byTitle(one: BoardChallenge, other: BoardChallenge) {
  return one.title.localeCompare(other.title)
}

/** From 1; what is not said comes last. */
export function levelOf(difficulty: Difficulty | null | undefined): number {
  return difficulty ? difficulties.indexOf(difficulty) + 1 : difficulties.length + 1
}

/** Most points, most solves, made last or easiest first; equal ones by title. */
export function compareBy(sort: BoardSort, marks: Marks): (one: BoardChallenge, other: BoardChallenge) => number {
  if (sort === 'points') return (one, other) => other.score - one.score || byTitle(one, other)
  if (sort === 'solves') return (one, other) => other.solved - one.solved || byTitle(one, other)
  // Ids are given in order.
  if (sort === 'newest') return (one, other) => other.id - one.id
  if (sort === 'difficulty')
    return (one, other) =>
      levelOf(marks.get(one.id)?.difficulty) - levelOf(marks.get(other.id)?.difficulty) || byTitle(one, other)
  return byTitle
}

/** What of a game can be filtered by: difficulties in their order, tags by how many challenges have them. */
export function choicesOf(challenges: PlayerBoard['challenges'], marks: Marks) {
  const given = Object.values(challenges)
    .flat()
    .flatMap(({ id }) => marks.get(id) ?? [])
  const byTag = Map.groupBy(
    given.flatMap(({ tags }) => tags),
    tagKey,
  )
  return {
    difficulties: difficulties.filter((known) => given.some(({ difficulty }) => difficulty === known)),
    tags: [...byTag.values()]
      .flatMap(([tag, ...others]) => (tag === undefined ? [] : [{ tag, count: others.length }]))
      .toSorted((one, other) => other.count - one.count || one.tag.localeCompare(other.tag))
      .map(({ tag }) => tag),
  }
}

/** The groups as filtered and sorted; those with nothing to show are left out. */
export function filterGroups(
  groups: readonly BoardGroup[],
  filter: BoardFilter,
  solved: ReadonlySet<number>,
  marks: Marks,
): BoardGroup[] {
  const { category, found, hideSolved, difficulty, tag, sort } = filter
  const wanted = tag && tagKey(tag)
  const isLabeled = (id: number) =>
    (!difficulty || marks.get(id)?.difficulty === difficulty) &&
    (!wanted || (marks.get(id)?.tags.some((each) => tagKey(each) === wanted) ?? false))
  return groups
    .filter((group) => category === undefined || group.category === category)
    .map((group) => ({
      ...group,
      challenges: group.challenges
        .filter(({ id }) => found.has(id) && isLabeled(id) && !(hideSolved && solved.has(id)))
        .toSorted(compareBy(sort, marks)),
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
