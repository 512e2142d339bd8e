import type { ChallengeAccess, TeamInstance } from '@capstan/contract/challenges'

/** What this browser is doing with an instance, or what became of it. Times are milliseconds of the clock. */
export type InstanceJob =
  | Readonly<{ kind: 'starting'; since: number }>
  /** The server answered that it is not ready yet; it goes on by itself. */
  | Readonly<{ kind: 'pending'; since: number }>
  | { readonly kind: 'stopping' }
  | { readonly kind: 'extending' }
  | Readonly<{ kind: 'failed'; deed: InstanceDeed; error: unknown }>
  /** It was started, but ended before it was ready. */
  | { readonly kind: 'lost' }

export type InstanceDeed = 'start' | 'stop' | 'extend'

/** The state of an instance, as the panel shows it. */
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
  /** What the team's list says of it; undefined: nothing. */
  listed?: Pick<TeamInstance, 'state' | 'startedAt'>,
): InstanceState {
  if (job?.kind === 'starting') return { kind: 'creating', since: job.since, isLate: false }
  if (job?.kind === 'lost') return { kind: 'lost' }
  if (instanceEntry === null) return { kind: 'none' }
  if (job?.kind === 'pending') return { kind: 'creating', since: job.since, isLate: true }
  // A teammate started it, or the answer to the own start was lost.
  if ((job === undefined || job.kind === 'failed') && listed?.state === 'Starting')
    return { kind: 'creating', since: Date.parse(listed.startedAt), isLate: false }
  const closesAt = closeTime === null ? Number.POSITIVE_INFINITY : Date.parse(closeTime)
  if (closesAt <= now) return { kind: 'expired' }
  const busy = job?.kind === 'stopping' ? 'stop' : job?.kind === 'extending' ? 'extend' : undefined
  return { kind: 'ready', entry: instanceEntry, closesAt, busy }
}

/** The last failure. It is dropped when a teammate has meanwhile done what was wanted. */
export function failureOf(job: InstanceJob | undefined, { kind }: InstanceState) {
  if (job?.kind !== 'failed') return undefined
  return (job.deed === 'start') === (kind !== 'ready' && kind !== 'creating') ? job : undefined
}

export type Lifetime = Readonly<{
  leftMs: number
  /** Of the whole life, 0..1. */
  share: number
  canExtend: boolean
}>

/** @param minutes the platform's figures; an extended instance may live longer than a new one */
export function lifetimeOf(
  closesAt: number,
  minutes: { readonly defaultLifetime: number; readonly extensionDuration: number; readonly renewalWindow: number },
  now: number,
): Lifetime {
  const leftMs = Math.max(0, closesAt - now)
  const wholeMs = Math.max(minutes.defaultLifetime, minutes.extensionDuration) * 60_000
  return { leftMs, share: Math.min(1, leftMs / wholeMs), canExtend: leftMs <= minutes.renewalWindow * 60_000 }
}
