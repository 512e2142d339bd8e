import type { ChallengeAccess, TeamInstance } from '@capstan/contract/challenges'

/** Current action of this browser on an instance, or the result of the last action. Times are on the server clock, in ms. */
export type InstanceJob =
  | Readonly<{ kind: 'starting'; since: number }>
  /** The instance was not ready when the server responded, but is still starting. */
  | Readonly<{ kind: 'pending'; since: number }>
  | { readonly kind: 'stopping' }
  | { readonly kind: 'extending' }
  | Readonly<{ kind: 'failed'; action: InstanceAction; error: unknown }>
  /** The instance ended before it became ready. */
  | { readonly kind: 'lost' }

export type InstanceAction = 'start' | 'stop' | 'extend'

export type InstanceState =
  | { readonly kind: 'none' }
  | Readonly<{ kind: 'creating'; since: number; isLate: boolean }>
  | Readonly<{ kind: 'ready'; entry: string; closesAt: number; busy: 'stop' | 'extend' | undefined }>
  | { readonly kind: 'expired' }
  | { readonly kind: 'lost' }

export function instanceStateOf(
  { instanceEntry, closeTime }: Pick<ChallengeAccess, 'instanceEntry' | 'closeTime'>,
  job: InstanceJob | undefined,
  now: number,
  /** Entry of this instance in the team's list of instances. Undefined if the list has none. */
  listed?: Pick<TeamInstance, 'state' | 'startedAt'>,
): InstanceState {
  if (job?.kind === 'starting') return { kind: 'creating', since: job.since, isLate: false }
  if (job?.kind === 'lost') return { kind: 'lost' }
  if (instanceEntry === null) return { kind: 'none' }
  if (job?.kind === 'pending') return { kind: 'creating', since: job.since, isLate: true }
  // Either a teammate started the instance, or the response to this browser's start was lost.
  if ((job === undefined || job.kind === 'failed') && listed?.state === 'Starting')
    return { kind: 'creating', since: Date.parse(listed.startedAt), isLate: false }
  const closesAt = closeTime === null ? Number.POSITIVE_INFINITY : Date.parse(closeTime)
  if (closesAt <= now) return { kind: 'expired' }
  const busy = job?.kind === 'stopping' ? 'stop' : job?.kind === 'extending' ? 'extend' : undefined
  return { kind: 'ready', entry: instanceEntry, closesAt, busy }
}

/** Returns the last failed action, unless a teammate has since succeeded with the same action. */
export function findLastFailure(job: InstanceJob | undefined, { kind }: InstanceState) {
  if (job?.kind !== 'failed') return undefined
  return (job.action === 'start') === (kind !== 'ready' && kind !== 'creating') ? job : undefined
}

export type Lifetime = Readonly<{
  leftMs: number
  /** Remaining share of the lifetime, 0 to 1. */
  share: number
  canExtend: boolean
}>

/**
 * Returns the remaining lifetime of an instance. An extended instance may exceed the default lifetime.
 * @param minutes limits of the platform, in minutes
 */
export function lifetimeOf(
  closesAt: number,
  minutes: Readonly<{ defaultLifetime: number; extensionDuration: number; renewalWindow: number }>,
  now: number,
): Lifetime {
  const leftMs = Math.max(0, closesAt - now)
  const fullMs = Math.max(minutes.defaultLifetime, minutes.extensionDuration) * 60_000
  return { leftMs, share: Math.min(1, leftMs / fullMs), canExtend: leftMs <= minutes.renewalWindow * 60_000 }
}
