import type { ChallengeType } from './challenges.ts'

/** True if teams run an image. */
export function hasContainer(type: ChallengeType): boolean {
  return type === 'StaticContainer' || type === 'DynamicContainer'
}

/** True if the flags are a list of the challenge. A DynamicContainer generates one flag per team instead. */
export function hasFlagList(type: ChallengeType): boolean {
  return type !== 'DynamicContainer'
}

/** True if all teams have the same flags. Only these types may have flags that are not exact. */
export function hasSharedFlags(type: ChallengeType): boolean {
  return type === 'StaticAttachment' || type === 'StaticContainer'
}
