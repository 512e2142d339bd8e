import { ParticipationStatus } from '@capstan/contract/games'
import { type GameTimes, type PhaseCall, refuseOutsidePhase } from '@capstan/contract/phases'
import type { ProblemCode } from '@capstan/contract/problems'

/** Stored status of a participation. `Unsubmitted` means that there is no participation. */
export type StoredStatus = Exclude<ParticipationStatus, 'Unsubmitted'>

/**
 * Effects of a change of status. The transaction that changes the status locks the team and creates assignments. Instances stop
 * after the commit of this transaction. Rules: docs/contract/games-and-joining.md#reviewing.
 */
export type StatusEffects = Readonly<{
  /** True if the status changes. Otherwise, there are no effects. */
  changesStatus: boolean
  /** True if the change locks the team and gives it an assignment of each enabled challenge. */
  entersGame: boolean
  stopsInstances: boolean
}>

/** Returns the effects of a change of status. @param from the previous status, or undefined for a new participation */
export function getStatusChangeEffects(from: StoredStatus | undefined, to: StoredStatus): StatusEffects {
  const entersGame = from !== 'Accepted' && to === 'Accepted'
  const leavesGame = from === 'Accepted' && to !== 'Accepted'
  return {
    changesStatus: from !== to,
    entersGame,
    stopsInstances: leavesGame,
  }
}

function isStoredStatus(status: string): status is StoredStatus {
  return status !== 'Unsubmitted' && ParticipationStatus.enum.some((known) => known === status)
}

/**
 * Refuses statuses that admins cannot assign. Admins can assign each of the four stored statuses, regardless of the present
 * status.
 */
export function refuseUnassignableStatus(status: string): Extract<ProblemCode, 'participation.status'> | undefined {
  return isStoredStatus(status) ? undefined : 'participation.status'
}

/**
 * Returns the new status of a team after a review. A rejection also removes the team from its division.
 * @param waitsForPlace true if an accepted team must wait for a free place
 * @returns undefined if nothing changes
 */
export function findReviewOutcome(
  { status: from, isWaiting: wasWaiting }: Readonly<{ status: StoredStatus; isWaiting: boolean }>,
  to: StoredStatus,
  { waitsForPlace }: { readonly waitsForPlace: boolean },
): { status: StoredStatus; isWaiting: boolean; division?: null } | undefined {
  const isWaiting = waitsForPlace && to === 'Accepted' && (from === 'Pending' || from === 'Rejected')
  const status = isWaiting ? 'Pending' : to
  if (status === from && isWaiting === (wasWaiting && from === 'Pending')) return undefined
  return { status, isWaiting, ...(to === 'Rejected' && { division: null }) }
}

/**
 * Checks whether the caller may leave the game.
 * @param status status of the caller's participation, or undefined if there is no participation
 */
export function refuseLeavingGame(
  status: StoredStatus | undefined,
): Extract<ProblemCode, 'leave.not-joined' | 'leave.too-late'> | undefined {
  if (status === undefined) return 'leave.not-joined'
  return status === 'Pending' || status === 'Rejected' ? undefined : 'leave.too-late'
}

/**
 * Refuses a caller without an accepted participation.
 * @param status status of the caller's participation, or undefined if there is no participation
 */
export function refuseUnlessAccepted(
  status: StoredStatus | undefined,
): Extract<ProblemCode, `participation.${'required' | 'suspended' | 'not-accepted'}`> | undefined {
  if (status === undefined) return 'participation.required'
  if (status === 'Suspended') return 'participation.suspended'
  return status === 'Accepted' ? undefined : 'participation.not-accepted'
}

/**
 * Checks a player's call in this order: joined, accepted, not too early, not too late.
 * Rules: docs/contract/games-and-joining.md#order-of-checks.
 */
export function refusePlayerCall(call: PhaseCall, status: StoredStatus | undefined, game: GameTimes, now: Date) {
  return refuseUnlessAccepted(status) ?? refuseOutsidePhase(call, game, now)
}
