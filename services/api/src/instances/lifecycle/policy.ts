import type { ChallengeType } from '@capstan/contract/challenges'
import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

const minuteMs = 60_000
const cooldownMs = Limits.instanceCooldownSeconds * 1_000

export type StartableChallenge = Readonly<{
  type: ChallengeType
  containerImage: string
  exposedPort: number
}>

/** Whether a challenge has a container at all. */
export function refuseChallenge(
  challenge: StartableChallenge,
): Extract<ProblemCode, 'instance.type' | 'instance.not-configured'> | undefined {
  if (challenge.type !== 'StaticContainer' && challenge.type !== 'DynamicContainer') return 'instance.type'
  return challenge.containerImage.trim() === '' || challenge.exposedPort < 1 ? 'instance.not-configured' : undefined
}

/**
 * Milliseconds until the team may start or stop this challenge's instance again; 0 = now.
 * Rules: docs/contract/instances.md#starting.
 */
export function cooldownLeftMs(lastOperationAt: Date | null | undefined, now: Date): number {
  return lastOperationAt ? Math.max(0, lastOperationAt.getTime() + cooldownMs - now.getTime()) : 0
}

/** What reaching the game's limit means for one more start. */
export type LimitDecision<Row> =
  | { readonly kind: 'free' }
  | { readonly kind: 'refused' }
  /** These go to make room, oldest first. */
  | Readonly<{ kind: 'replace'; instances: readonly Row[] }>

/**
 * @param running the team's live instances in the game, oldest first
 * @param limit 0 = none
 */
export function decideLimit<Row>(running: readonly Row[], limit: number, destroysOldest: boolean): LimitDecision<Row> {
  if (limit === 0 || running.length < limit) return { kind: 'free' }
  return destroysOldest ? { kind: 'replace', instances: running.slice(0, running.length - limit + 1) } : { kind: 'refused' }
}

export function startExpiry(now: Date, lifetimeMinutes: number): Date {
  return new Date(now.getTime() + lifetimeMinutes * minuteMs)
}

/** Only in the last minutes. */
export function refuseExtension(expiresAt: Date, now: Date, renewalWindowMinutes: number): 'instance.not-extendable' | undefined {
  return expiresAt.getTime() - now.getTime() <= renewalWindowMinutes * minuteMs ? undefined : 'instance.not-extendable'
}

export function extendedExpiry(expiresAt: Date, extensionMinutes: number): Date {
  return new Date(expiresAt.getTime() + extensionMinutes * minuteMs)
}
