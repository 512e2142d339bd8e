import type { DeskFailure, DeskMinute, GameDesk } from '@capstan/contract/desk'

/** Minutes that a rate is averaged over: long enough to be steady, short enough to be current. */
const rateMinutes = 5

/** Mean of the last minutes; the newest one ends now, so each is a whole one. */
export const ratePerMinute = (counts: readonly number[]): number =>
  counts.slice(-rateMinutes).reduce((sum, count) => sum + count, 0) / rateMinutes

export interface HourFigures {
  /** Oldest first. */
  readonly counts: readonly number[]
  readonly perMinute: number
  readonly total: number
  /** Most in one minute. */
  readonly most: number
}

export function hourOf(minutes: readonly DeskMinute[], of: keyof DeskMinute): HourFigures {
  const counts = minutes.map((minute) => minute[of])
  return {
    counts,
    perMinute: ratePerMinute(counts),
    total: counts.reduce((sum, count) => sum + count, 0),
    most: Math.max(0, ...counts),
  }
}

/** Share of an hour's submissions that were right; undefined where there were none. */
export const rightShare = (minutes: readonly DeskMinute[]): number | undefined => {
  const { total } = hourOf(minutes, 'submissions')
  return total === 0 ? undefined : hourOf(minutes, 'accepted').total / total
}

/** Something that a person should look at. */
export type Concern =
  | { readonly kind: 'gateways' }
  | { readonly kind: 'image'; readonly failure: DeskFailure }
  | { readonly kind: 'cheats'; readonly count: number }
  | { readonly kind: 'review'; readonly count: number; readonly since: string | null }

/** What needs attention, the worst first: what stops everybody, what stops the teams of a challenge, what can wait a little. */
export const concernsOf = ({ connections, failures, cheats, review }: GameDesk): readonly Concern[] => [
  ...(connections.gateways === 0 ? [{ kind: 'gateways' } as const] : []),
  ...failures.map((failure) => ({ kind: 'image', failure }) as const),
  ...(cheats.lastHour > 0 ? [{ kind: 'cheats', count: cheats.lastHour } as const] : []),
  ...(review.waiting > 0 ? [{ kind: 'review', count: review.waiting, since: review.since } as const] : []),
]
