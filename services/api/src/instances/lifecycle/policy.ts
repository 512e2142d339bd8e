import type { ChallengeType } from '@capstan/contract/challenges'
import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

const minuteMs = 60_000
const cooldownMs = Limits.instanceCooldownSeconds * 1_000

export interface StartableChallenge {
  readonly type: ChallengeType
  readonly containerImage: string
  readonly exposedPort: number
}

/** Whether a challenge has a container at all. */
export const refuseChallenge = (
  challenge: StartableChallenge,
): Extract<ProblemCode, 'instance.type' | 'instance.not-configured'> | undefined => {
  if (challenge.type !== 'StaticContainer' && challenge.type !== 'DynamicContainer') return 'instance.type'
  return challenge.containerImage.trim() === '' || challenge.exposedPort < 1 ? 'instance.not-configured' : undefined
}

/**
 * Milliseconds until the team may start or stop this challenge's instance again; 0 = now.
 * Rules: docs/contract/instances.md#starting.
 */
export const cooldownLeftMs = (lastOperationAt: Date | null | undefined, now: Date): number =>
  lastOperationAt ? Math.max(0, lastOperationAt.getTime() + cooldownMs - now.getTime()) : 0

/** What reaching the game's limit means for one more start. */
export type LimitDecision<Row> =
  | { readonly kind: 'free' }
  | { readonly kind: 'refused' }
  /** These go to make room, oldest first. */
  | { readonly kind: 'replace'; readonly instances: readonly Row[] }

/**
 * @param running the team's live instances in the game, oldest first
 * @param limit 0 = none
 */
export const decideLimit = <Row>(running: readonly Row[], limit: number, destroysOldest: boolean): LimitDecision<Row> => {
  if (limit === 0 || running.length < limit) return { kind: 'free' }
  return destroysOldest ? { kind: 'replace', instances: running.slice(0, running.length - limit + 1) } : { kind: 'refused' }
}

export const startExpiry = (now: Date, lifetimeMinutes: number): Date => new Date(now.getTime() + lifetimeMinutes * minuteMs)

/** Only in the last minutes. */
export const refuseExtension = (
  expiresAt: Date,
  now: Date,
  renewalWindowMinutes: number,
): 'instance.not-extendable' | undefined =>
  expiresAt.getTime() - now.getTime() <= renewalWindowMinutes * minuteMs ? undefined : 'instance.not-extendable'

export const extendedExpiry = (expiresAt: Date, extensionMinutes: number): Date =>
  new Date(expiresAt.getTime() + extensionMinutes * minuteMs)
