import type { Challenge, ChallengeWrite } from './challenge.ts'
import { hasFlagList } from './challenge-types.ts'
import { type ChallengeContainer, defaultContainerName } from './containers.ts'
import { Defaults } from './limits.ts'

export const defaultAttachmentName = 'attachment'

export const defaultContainer: EntryContainer = {
  name: defaultContainerName,
  image: '',
  port: Defaults.exposedPort,
  reach: { speaks: 'tcp', isRaw: false, hasOwnCertificate: false },
  cpuTenths: Defaults.cpuTenths,
  memoryMb: Defaults.memoryMb,
  storageMb: Defaults.storageMb,
  capture: false,
  definition: {},
}

/** Container with the port of players. */
export type EntryContainer = ChallengeContainer & { readonly port: number }

/** Returns the first container of a challenge, to which players connect. */
export function containerOf({ containers: [container = defaultContainer] }: Pick<Challenge, 'containers'>): EntryContainer {
  return { ...container, port: container.port ?? defaultContainer.port }
}

/** Changes some settings of the first container of a challenge. */
export function withContainer<Changed extends Pick<Challenge, 'containers'>>(
  challenge: Changed,
  parts: Partial<ChallengeContainer>,
): Changed {
  return { ...challenge, containers: [{ ...containerOf(challenge), ...parts }, ...challenge.containers.slice(1)] }
}

/** Returns a challenge in the form in which clients write it. Flags without points lose the points that they had. */
export function challengeWriteOf(challenge: Challenge): ChallengeWrite {
  return { ...challenge, flags: challenge.flags.map((flag) => ({ ...flag, points: flag.points ?? null })) }
}

/**
 * Returns the points of each flag that a team must find to solve the challenge.
 * @returns an empty list if every flag solves it
 */
export function pointsOfFlags(flags: readonly { readonly points?: number | null }[]): number[] {
  return flags.some(({ points }) => points != null) ? flags.map(({ points }) => points ?? 0) : []
}

type Flagged = Pick<Challenge, 'type'> & { readonly flags: readonly unknown[] }

/** True if the challenge needs a flag before it can be enabled. */
export function lacksFlag({ type, flags }: Flagged): boolean {
  return hasFlagList(type) && flags.length === 0
}

/** True if a challenge would close at its release or before it. */
export function closesBeforeRelease({ release, deadline }: Pick<Challenge, 'release' | 'deadline'>): boolean {
  return release !== null && deadline !== null && deadline <= release
}

/** Replaces the flags of a challenge. It disables a challenge that then lacks a flag. */
export function withFlags<Changed extends Flagged & Pick<Challenge, 'enabled'>>(
  challenge: Changed,
  flags: Changed['flags'],
): Changed {
  const changed = { ...challenge, flags }
  return { ...changed, enabled: changed.enabled && !lacksFlag(changed) }
}
