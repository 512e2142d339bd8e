import type { DeskBlood, DeskChallenge, DeskFailure, DeskMinute, DeskSuspicion, GameDesk } from '@capstan/contract/desk'

/** Minutes that a rate is averaged over: long enough to be steady, short enough to be current. */
const rateMinutes = 5

/** Mean of the last minutes; the newest one ends now, so each is a whole one. */
export function ratePerMinute(counts: readonly number[]): number {
  return counts.slice(-rateMinutes).reduce((sum, count) => sum + count, 0) / rateMinutes
}

export type HourFigures = Readonly<{
  /** Oldest first. */
  counts: readonly number[]
  perMinute: number
  total: number
  /** Most in one minute. */
  most: number
}>

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
export function rightShare(minutes: readonly DeskMinute[]): number | undefined {
  const { total } = hourOf(minutes, 'submissions')
  return total === 0 ? undefined : hourOf(minutes, 'accepted').total / total
}

/** Something that a person should look at. */
export type Concern =
  | { readonly kind: 'gateways' }
  | Readonly<{ kind: 'image'; failure: DeskFailure }>
  | Readonly<{ kind: 'unsolved'; challenge: DeskChallenge }>
  | Readonly<{ kind: 'cheats'; count: number }>
  | Readonly<{ kind: 'review'; count: number; since: string | null }>

/** From which on a challenge without a solve looks wrong rather than hard: flags of the last hour, and the teams behind them. */
const unsolvedWrongLeast = 10
const unsolvedTeamsLeast = 3
/** Most that are named above everything else; the table has the rest. */
const unsolvedMost = 3

/** Nobody ever solved it, and several teams try in vain: the flag or the challenge may be wrong. */
export function looksWrong({ solved, right, wrong, teams }: DeskChallenge): boolean {
  return solved === 0 && right === 0 && wrong >= unsolvedWrongLeast && teams >= unsolvedTeamsLeast
}

/** Those that look wrong first, then the busiest, then the most solved: what to look at comes before what goes well. */
export function byTrouble(challenges: readonly DeskChallenge[]): readonly DeskChallenge[] {
  return challenges.toSorted(
    (one, other) =>
      Number(looksWrong(other)) - Number(looksWrong(one)) ||
      (looksWrong(one) ? other.wrong - one.wrong : 0) ||
      other.solved - one.solved ||
      other.wrong - one.wrong,
  )
}

export type FeedLine = ({ readonly kind: 'blood' } & DeskBlood) | ({ readonly kind: 'suspicion' } & DeskSuspicion)

/** Bloods and suspicions together, the newest first. */
export function feedOf({ bloods, suspicions }: Pick<GameDesk, 'bloods' | 'suspicions'>): readonly FeedLine[] {
  return [
    ...bloods.map((blood) => ({ kind: 'blood', ...blood }) as const),
    ...suspicions.map((suspicion) => ({ kind: 'suspicion', ...suspicion }) as const),
  ].sort((one, other) => Date.parse(other.time) - Date.parse(one.time))
}

/**
 * What needs attention, the worst first: what stops everybody, what stops the teams of a challenge, what can wait a little.
 * @param isLive whether this browser is connected, so that a gateway answers although none has been heard of lately
 */
export function concernsOf({ connections, failures, cheats, review, challenges }: GameDesk, isLive: boolean): readonly Concern[] {
  return [
    ...(connections.gateways === 0 && !isLive ? [{ kind: 'gateways' } as const] : []),
    ...failures.map((failure) => ({ kind: 'image', failure }) as const),
    ...byTrouble(challenges)
      .filter(looksWrong)
      .slice(0, unsolvedMost)
      .map((challenge) => ({ kind: 'unsolved', challenge }) as const),
    ...(cheats.lastHour > 0 ? [{ kind: 'cheats', count: cheats.lastHour } as const] : []),
    ...(review.waiting > 0 ? [{ kind: 'review', count: review.waiting, since: review.since } as const] : []),
  ]
}
