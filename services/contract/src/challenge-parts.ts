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

/** Container that players reach first, with the port to which they connect. */
export type EntryContainer = ChallengeContainer & { readonly port: number }

/** Returns the first container of a challenge, to which players connect. */
export function entryContainerOf({ containers: [container = defaultContainer] }: Pick<Challenge, 'containers'>): EntryContainer {
  return { ...container, port: container.port ?? defaultContainer.port }
}

/** Changes some settings of the first container of a challenge. */
export function withEntryContainer<Changed extends Pick<Challenge, 'containers'>>(
  challenge: Changed,
  parts: Partial<ChallengeContainer>,
): Changed {
  return { ...challenge, containers: [{ ...entryContainerOf(challenge), ...parts }, ...challenge.containers.slice(1)] }
}

/** Returns a challenge in the form in which clients write it. Absent points become null, so that stored points are removed. */
export function toChallengeWrite(challenge: Challenge): ChallengeWrite {
  return { ...challenge, flags: challenge.flags.map((flag) => ({ ...flag, points: flag.points ?? null })) }
}

/**
 * Returns the points of each flag, if a team must find all flags to solve the challenge.
 * @returns an empty list if any single flag solves the challenge
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

/** Replaces the flags of a challenge. If the challenge then lacks a flag, it is also disabled. */
export function withFlags<Changed extends Flagged & Pick<Challenge, 'enabled'>>(
  challenge: Changed,
  flags: Changed['flags'],
): Changed {
  const changed = { ...challenge, flags }
  return { ...changed, enabled: changed.enabled && !lacksFlag(changed) }
}
