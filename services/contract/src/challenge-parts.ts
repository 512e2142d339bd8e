import type { Challenge, ChallengeWrite } from './challenge.ts'
import { hasFlagList } from './challenge-types.ts'
import { type ChallengeContainer, defaultContainerName } from './containers.ts'
import { ContainerDefaults } from './limits.ts'

export const defaultAttachmentName = 'attachment'

export const defaultContainer: EntryContainer = {
  name: defaultContainerName,
  image: '',
  ...ContainerDefaults,
  reach: { speaks: 'tcp', isRaw: false, hasOwnCertificate: false },
  capture: false,
  definition: {},
}

/** Entry container of a challenge, with the port to which players connect. */
export type EntryContainer = ChallengeContainer & { readonly port: number }

/** Returns the entry container, which is the first container of a challenge. Players connect to this container. */
export function entryContainerOf({ containers: [container = defaultContainer] }: Pick<Challenge, 'containers'>): EntryContainer {
  return { ...container, port: container.port ?? defaultContainer.port }
}

export function changeEntryContainer<Changed extends Pick<Challenge, 'containers'>>(
  challenge: Changed,
  parts: Partial<ChallengeContainer>,
): Changed {
  return { ...challenge, containers: [{ ...entryContainerOf(challenge), ...parts }, ...challenge.containers.slice(1)] }
}

/**
 * Returns a challenge in the form that write calls accept. The points of a flag without points are set to null. Otherwise, the
 * server would retain the stored points of the flag.
 */
export function toChallengeWrite(challenge: Challenge): ChallengeWrite {
  return { ...challenge, flags: challenge.flags.map((flag) => ({ ...flag, points: flag.points ?? null })) }
}

/**
 * Returns the points of each flag if a team must find all flags to solve the challenge.
 * @returns an empty list if each flag alone solves the challenge
 */
export function pointsOfFlags(flags: readonly { readonly points?: number | null }[]): number[] {
  return flags.some(({ points }) => points != null) ? flags.map(({ points }) => points ?? 0) : []
}

type Flagged = Pick<Challenge, 'type'> & { readonly flags: readonly unknown[] }

/** True if the challenge cannot be enabled because it has no flag. */
export function lacksFlag({ type, flags }: Flagged): boolean {
  return hasFlagList(type) && flags.length === 0
}

/** True if the deadline of a challenge is at or before its release. */
export function isDeadlineBeforeRelease({ release, deadline }: Pick<Challenge, 'release' | 'deadline'>): boolean {
  return release !== null && deadline !== null && deadline <= release
}

/** Returns a copy of a challenge with the given flags. The copy is disabled if it needs flags and `flags` is empty. */
export function replaceFlags<Changed extends Flagged & Pick<Challenge, 'enabled'>>(
  challenge: Changed,
  flags: Changed['flags'],
): Changed {
  const changed = { ...challenge, flags }
  return { ...changed, enabled: changed.enabled && !lacksFlag(changed) }
}
