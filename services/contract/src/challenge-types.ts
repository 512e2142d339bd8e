import type { ChallengeType } from './challenges.ts'

/** True if the platform runs a container for each team. */
export function hasContainer(type: ChallengeType): boolean {
  return type === 'StaticContainer' || type === 'DynamicContainer'
}

/** True if the challenge has a list of flags. A DynamicContainer instead generates one flag per team. */
export function hasFlagList(type: ChallengeType): boolean {
  return type !== 'DynamicContainer'
}

/** True if all teams have the same flags. Only then a flag may be a pattern or ignore case. */
export function hasSharedFlags(type: ChallengeType): boolean {
  return type === 'StaticAttachment' || type === 'StaticContainer'
}
