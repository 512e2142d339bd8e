import type { Challenge, ChallengeContainer } from './challenge.ts'
import { hasFlagList } from './challenge-types.ts'
import { Defaults } from './limits.ts'

export const defaultAttachmentName = 'attachment'

export const defaultContainer: ChallengeContainer = {
  image: '',
  port: Defaults.exposedPort,
  reach: { speaks: 'tcp', isRaw: false, hasOwnCertificate: false },
  cpuTenths: Defaults.cpuTenths,
  memoryMb: Defaults.memoryMb,
  storageMb: Defaults.storageMb,
  capture: false,
  definition: {},
}

/** Returns the container of a challenge. At present the list has exactly one. */
export function containerOf({ containers: [container = defaultContainer] }: Pick<Challenge, 'containers'>): ChallengeContainer {
  return container
}

/** Changes some settings of a challenge's container. */
export function withContainer<Changed extends Pick<Challenge, 'containers'>>(
  challenge: Changed,
  parts: Partial<ChallengeContainer>,
): Changed {
  return { ...challenge, containers: [{ ...containerOf(challenge), ...parts }] }
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
