import { type Static, Type } from 'typebox'
import { nullableInteger, stringEnum } from './kit.ts'
import { InputLimits, Limits, positive } from './limits.ts'
import { lockedViews } from './vocabulary.ts'

const ChallengeId = Type.Integer({ format: 'int32', minimum: InputLimits.minId, maximum: InputLimits.maxInt32 })

/** Visibility of a challenge for teams that have not unlocked it. */
export const LockedView = stringEnum(lockedViews, {
  description: 'Shown: title, category, value and the condition. Hidden: nothing.',
})
export type LockedView = Static<typeof LockedView>

/** Number of prerequisites that a team must solve to unlock the challenge. */
export const UnlockCount = nullableInteger({
  ...positive,
  maximum: Limits.maxPrerequisites,
  description: 'Number of prerequisites that a team must solve. Null: all.',
})

/** Number of points with which a team unlocks the challenge even if prerequisites are missing. */
export const UnlockPoints = nullableInteger({
  ...positive,
  maximum: InputLimits.maxScore,
  description: 'The challenge also opens at this number of points. Null: it does not.',
})

/** Condition under which a challenge is unlocked for a team. */
export const UnlockRule = Type.Object(
  {
    after: Type.Array(ChallengeId, {
      maxItems: Limits.maxPrerequisites,
      uniqueItems: true,
      description: 'Prerequisites: ids of other challenges of the game.',
    }),
    count: UnlockCount,
    points: UnlockPoints,
    locked: LockedView,
  },
  { title: 'UnlockRule' },
)
export type UnlockRule = Static<typeof UnlockRule>

/** Locked challenge: the caller's team sees it, but has not unlocked it. */
export const LockedChallenge = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    after: Type.Array(Type.Integer({ format: 'int32' }), { description: 'Ids of the prerequisites that the team sees.' }),
    needed: Type.Integer({
      format: 'int32',
      description: 'Number of prerequisites that the team must solve. 0: only points count.',
    }),
    solved: Type.Integer({ format: 'int32', description: 'Number of prerequisites that the team has solved.' }),
    points: nullableInteger({ format: 'int32', description: 'Points at which the challenge also opens.' }),
  },
  { title: 'LockedChallenge' },
)
export type LockedChallenge = Static<typeof LockedChallenge>

/**
 * Normalizes an unlock rule, so that rules with the same meaning are equal.
 * @returns null if the rule has no condition
 */
export function normalizeUnlockRule(rule: UnlockRule | null): UnlockRule | null {
  if (!rule || (rule.after.length === 0 && rule.points === null)) return null
  const after = [...new Set(rule.after)].sort((left, right) => left - right)
  return {
    after,
    count: rule.count === null || rule.count >= after.length ? null : rule.count,
    points: rule.points,
    locked: rule.locked,
  }
}
