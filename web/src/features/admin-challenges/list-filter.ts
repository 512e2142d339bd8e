import type { ChallengeLabels, Difficulty } from '@capstan/contract/challenge-labels'
import type { ChallengeBrief, ChallengeCategory } from '@capstan/contract/challenges'
import { normalizedTagKey } from '@capstan/contract/tags'
import { categories } from '../../components/ui/category.tsx'

type ShownChallenges = 'all' | 'enabled' | 'disabled'

export type LabelsById = ReadonlyMap<number, ChallengeLabels>

/**
 * Returns the search text as a case-insensitive regular expression.
 * @returns undefined if the search text is not a valid expression
 */
export function toSearchPattern(search: string): RegExp | undefined {
  try {
    return new RegExp(search.trim(), 'iu')
  } catch {
    return undefined
  }
}

export type CategoryGroup = Readonly<{
  category: ChallengeCategory
  challenges: readonly ChallengeBrief[]
}>

export type ListFilter = Readonly<{
  /** Regular expression that matches the title, the category or a tag. */
  search: string
  shown: ShownChallenges
  /** Difficulty, or empty for all. */
  difficulty: Difficulty | ''
  tag: string
}>

/** Returns the matching challenges by category. Within a category they are sorted by title. */
export function groupChallenges(
  challenges: readonly ChallengeBrief[],
  labels: LabelsById,
  { search, shown, difficulty, tag }: ListFilter,
): readonly CategoryGroup[] {
  const pattern = toSearchPattern(search)
  const matching = challenges.filter(({ id, title, category, isEnabled }) => {
    const { tags = [], difficulty: own } = labels.get(id) ?? {}
    return (
      (shown === 'all' || isEnabled === (shown === 'enabled')) &&
      (difficulty === '' || own === difficulty) &&
      (tag === '' || tags.some((each) => normalizedTagKey(each) === normalizedTagKey(tag))) &&
      (!pattern || [title, category, ...tags].some((text) => pattern.test(text)))
    )
  })
  return categories.flatMap((category) => {
    const own = matching.filter((challenge) => challenge.category === category)
    return own.length === 0 ? [] : [{ category, challenges: own.toSorted((one, other) => one.title.localeCompare(other.title)) }]
  })
}

/**
 * Returns the previous and the next challenge in the unfiltered list. `position` is the position of the challenge, starting at 1.
 * It is 0 if the challenge is unknown.
 */
export function findNeighbors(challenges: readonly ChallengeBrief[], id: number) {
  const all = groupChallenges(challenges, new Map(), { search: '', shown: 'all', difficulty: '', tag: '' })
  const ordered = all.flatMap((group) => group.challenges)
  const index = ordered.findIndex((challenge) => challenge.id === id)
  return {
    previous: index > 0 ? ordered[index - 1] : undefined,
    next: index < 0 ? undefined : ordered[index + 1],
    position: index + 1,
  }
}
