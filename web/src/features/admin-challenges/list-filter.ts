import type { ChallengeBrief, ChallengeCategory } from '@capstan/contract/challenges'
import { categories } from '../../components/ui/category.tsx'

export type ShownChallenges = 'all' | 'enabled' | 'disabled'

/** A search as a regular expression without regard to case; undefined if it is none. */
export function patternOf(search: string): RegExp | undefined {
  try {
    return new RegExp(search.trim(), 'iu')
  } catch {
    return undefined
  }
}

export interface CategoryGroup {
  readonly category: ChallengeCategory
  readonly challenges: readonly ChallengeBrief[]
}

/** Challenges that match, by category in the order of the contract, then by title. */
export function groupChallenges(
  challenges: readonly ChallengeBrief[],
  { search, shown }: { readonly search: string; readonly shown: ShownChallenges },
): readonly CategoryGroup[] {
  const pattern = patternOf(search)
  const matching = challenges.filter(
    ({ title, category, isEnabled }) =>
      (shown === 'all' || isEnabled === (shown === 'enabled')) && (!pattern || pattern.test(title) || pattern.test(category)),
  )
  return categories.flatMap((category) => {
    const own = matching.filter((challenge) => challenge.category === category)
    return own.length === 0 ? [] : [{ category, challenges: own.toSorted((one, other) => one.title.localeCompare(other.title)) }]
  })
}
