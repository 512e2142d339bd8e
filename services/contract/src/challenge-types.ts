import type { ChallengeType } from './challenges.ts'

/** True if the platform runs an instance for each team. */
export function hasContainer(type: ChallengeType): boolean {
  return type === 'StaticContainer' || type === 'DynamicContainer'
}

/**
 * True if challenges of this type have a list of flags. For a DynamicContainer, the platform instead generates one flag per team.
 */
export function hasFlagList(type: ChallengeType): boolean {
  return type !== 'DynamicContainer'
}

/** True if all teams have the same flags. Only such flags may be patterns or case-insensitive. */
export function hasSharedFlags(type: ChallengeType): boolean {
  return type === 'StaticAttachment' || type === 'StaticContainer'
}
