import type { ChallengeType } from '@capstan/contract/challenges'
import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

const minuteMs = 60_000
const cooldownMs = Limits.instanceCooldownSeconds * 1_000

export type StartableChallenge = Readonly<{
  type: ChallengeType
  containerImage: string
  port: number
  furtherContainers: readonly { readonly image: string }[]
}>

/** Refuses to start a challenge that has no containers, or whose containers are not fully configured. */
export function refuseInstanceStart(
  challenge: StartableChallenge,
): Extract<ProblemCode, 'instance.type' | 'instance.not-configured'> | undefined {
  if (challenge.type !== 'StaticContainer' && challenge.type !== 'DynamicContainer') return 'instance.type'
  const images = [challenge.containerImage, ...challenge.furtherContainers.map(({ image }) => image)]
  return images.some((image) => image.trim() === '') || challenge.port < 1 ? 'instance.not-configured' : undefined
}

/**
 * Returns the time in ms until the team may start or stop this challenge's instance again. It is 0 if the team may do so now.
 * Rules: docs/contract/instances.md#starting.
 */
export function getRemainingCooldownMs(lastOperationAt: Date | null | undefined, now: Date): number {
  return lastOperationAt ? Math.max(0, lastOperationAt.getTime() + cooldownMs - now.getTime()) : 0
}

/** Decision whether a team may start another instance. */
export type LimitDecision<Row> =
  | { readonly kind: 'free' }
  | { readonly kind: 'refused' }
  | Readonly<{ kind: 'replace'; instances: readonly Row[] }>

/**
 * @param running live instances of the team in the game, oldest first
 * @param limit maximum number of live instances, or 0 for no limit
 */
export function decideStartAtInstanceLimit<Row>(
  running: readonly Row[],
  limit: number,
  destroysOldest: boolean,
): LimitDecision<Row> {
  if (limit === 0 || running.length < limit) return { kind: 'free' }
  return destroysOldest ? { kind: 'replace', instances: running.slice(0, running.length - limit + 1) } : { kind: 'refused' }
}

/**
 * True if an instance remains although its start failed. Organizers read the state and the output of a test instance until they
 * stop it, or until its lifetime ends.
 */
export function doesInstanceRemainAfterFailure({ participationId }: { readonly participationId: number | null }): boolean {
  return participationId === null
}

export function getExpiryAfterStart(now: Date, lifetimeMinutes: number): Date {
  return new Date(now.getTime() + lifetimeMinutes * minuteMs)
}

/** Refuses an extension if more than `renewalWindowMinutes` of the lifetime remain. */
export function refuseInstanceExtension(
  expiresAt: Date,
  now: Date,
  renewalWindowMinutes: number,
): 'instance.not-extendable' | undefined {
  return expiresAt.getTime() - now.getTime() <= renewalWindowMinutes * minuteMs ? undefined : 'instance.not-extendable'
}

export function getExpiryAfterExtension(expiresAt: Date, extensionMinutes: number): Date {
  return new Date(expiresAt.getTime() + extensionMinutes * minuteMs)
}
