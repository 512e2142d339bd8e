import type { DeskBlood, DeskChallenge, DeskFailure, DeskMinute, DeskSuspicion, GameDesk } from '@capstan/contract/desk'

/** Number of minutes over which a rate is averaged. Enough for steady values, but few enough to reflect the current situation. */
const rateMinutes = 5

/** Returns the average count per minute over the last `rateMinutes` minutes. */
export function meanPerMinute(counts: readonly number[]): number {
  return counts.slice(-rateMinutes).reduce((sum, count) => sum + count, 0) / rateMinutes
}

export type HourFigures = Readonly<{
  /** Counts per minute, oldest first. */
  counts: readonly number[]
  perMinute: number
  total: number
  /** Highest value in `counts`. */
  most: number
}>

export function summarizeLastHour(minutes: readonly DeskMinute[], of: keyof DeskMinute): HourFigures {
  const counts = minutes.map((minute) => minute[of])
  return {
    counts,
    perMinute: meanPerMinute(counts),
    total: counts.reduce((sum, count) => sum + count, 0),
    most: Math.max(0, ...counts),
  }
}

/**
 * Returns the share of correct submissions.
 * @returns undefined if there are no submissions
 */
export function shareOfCorrectSubmissions(minutes: readonly DeskMinute[]): number | undefined {
  const { total } = summarizeLastHour(minutes, 'submissions')
  return total === 0 ? undefined : summarizeLastHour(minutes, 'accepted').total / total
}

/** Problem that an organizer should check. */
export type Concern =
  | { readonly kind: 'gateways' }
  | Readonly<{ kind: 'image'; failure: DeskFailure }>
  | Readonly<{ kind: 'unsolved'; challenge: DeskChallenge }>
  | Readonly<{ kind: 'cheats'; count: number }>
  | Readonly<{ kind: 'review'; count: number; since: string | null }>

/**
 * Minimum number of wrong flags in the last hour for an unsolved challenge to be suspicious. The number of teams that submitted
 * these flags must also reach `minUnsolvedTeams`.
 */
const minUnsolvedWrong = 10
const minUnsolvedTeams = 3
/** Maximum number of unsolved challenges in the list of concerns. The table of challenges contains all of them. */
const maxUnsolved = 3

/** True if no team solved the challenge, but several teams submit wrong flags. The flag or the challenge may be wrong. */
export function isSuspiciousChallenge({ solved, right, wrong, teams }: DeskChallenge): boolean {
  return solved === 0 && right === 0 && wrong >= minUnsolvedWrong && teams >= minUnsolvedTeams
}

/** Sorts challenges: suspicious ones first, then by activity and solves. */
export function sortChallengesBySeverity(challenges: readonly DeskChallenge[]): readonly DeskChallenge[] {
  return challenges.toSorted(
    (one, other) =>
      Number(isSuspiciousChallenge(other)) - Number(isSuspiciousChallenge(one)) ||
      (isSuspiciousChallenge(one) ? other.wrong - one.wrong : 0) ||
      other.solved - one.solved ||
      other.wrong - one.wrong,
  )
}

export type FeedLine = ({ readonly kind: 'blood' } & DeskBlood) | ({ readonly kind: 'suspicion' } & DeskSuspicion)

/** Merges bloods and suspicions, newest first. */
export function mergeBloodsAndSuspicions({ bloods, suspicions }: Pick<GameDesk, 'bloods' | 'suspicions'>): readonly FeedLine[] {
  return [
    ...bloods.map((blood) => ({ kind: 'blood', ...blood }) as const),
    ...suspicions.map((suspicion) => ({ kind: 'suspicion', ...suspicion }) as const),
  ].sort((one, other) => Date.parse(other.time) - Date.parse(one.time))
}

/**
 * Returns the concerns, worst first: problems of all teams, then problems of single challenges, then less urgent problems.
 * @param isLive true if this browser is connected to a gateway. The connection proves that a gateway works
 */
export function listConcerns(
  { connections, failures, cheats, review, challenges }: GameDesk,
  isLive: boolean,
): readonly Concern[] {
  return [
    ...(connections.gateways === 0 && !isLive ? [{ kind: 'gateways' } as const] : []),
    ...failures.map((failure) => ({ kind: 'image', failure }) as const),
    ...sortChallengesBySeverity(challenges)
      .filter(isSuspiciousChallenge)
      .slice(0, maxUnsolved)
      .map((challenge) => ({ kind: 'unsolved', challenge }) as const),
    ...(cheats.lastHour > 0 ? [{ kind: 'cheats', count: cheats.lastHour } as const] : []),
    ...(review.waiting > 0 ? [{ kind: 'review', count: review.waiting, since: review.since } as const] : []),
  ]
}
