import { ParticipationStatus } from '@capstan/contract/games'
import { type GameTimes, type PhaseCall, refusePhase } from '@capstan/contract/phases'
import type { ProblemCode } from '@capstan/contract/problems'

/** Status of a team in a game as it is stored; `Unsubmitted` means that there is no participation. */
export type StoredStatus = Exclude<ParticipationStatus, 'Unsubmitted'>

/**
 * What must follow in the same transaction (lock, assignments) and after it (instances).
 * Rules: docs/contract/games-and-joining.md#reviewing.
 */
export type StatusEffects = Readonly<{
  /** False: the status is as it was and nothing happens. */
  changesStatus: boolean
  locksTeam: boolean
  /** Makes the team's assignment of every enabled challenge. */
  createsAssignments: boolean
  /** Ends the running instances of the team in this game. */
  stopsInstances: boolean
}>

/** @param from undefined for a participation that is created with status `to` */
export function statusEffects(from: StoredStatus | undefined, to: StoredStatus): StatusEffects {
  const entersGame = from !== 'Accepted' && to === 'Accepted'
  const leavesGame = from === 'Accepted' && to !== 'Accepted'
  return {
    changesStatus: from !== to,
    locksTeam: entersGame,
    createsAssignments: entersGame,
    stopsInstances: leavesGame,
  }
}

function isStoredStatus(status: string): status is StoredStatus {
  return status !== 'Unsubmitted' && ParticipationStatus.enum.some((known) => known === status)
}

/** Whether an admin may give a team this status: any of the four stored ones, from any other. */
export function refuseStatus(status: string): Extract<ProblemCode, 'participation.status'> | undefined {
  return isStoredStatus(status) ? undefined : 'participation.status'
}

/** Whether the caller may leave the game. @param status of the caller's participation, undefined without one */
export function refuseLeave(
  status: StoredStatus | undefined,
): Extract<ProblemCode, 'leave.not-joined' | 'leave.too-late'> | undefined {
  if (status === undefined) return 'leave.not-joined'
  return status === 'Pending' || status === 'Rejected' ? undefined : 'leave.too-late'
}

/** Whether the caller takes part at all. @param status of the caller's participation, undefined without one */
export function refuseParticipant(
  status: StoredStatus | undefined,
): Extract<ProblemCode, `participation.${'required' | 'suspended' | 'not-accepted'}`> | undefined {
  if (status === undefined) return 'participation.required'
  if (status === 'Suspended') return 'participation.suspended'
  return status === 'Accepted' ? undefined : 'participation.not-accepted'
}

/**
 * The checks of a player's call in their order: joined, accepted, not too early, not too late.
 * Rules: docs/contract/games-and-joining.md#order-of-checks.
 */
export function refusePlayer(call: PhaseCall, status: StoredStatus | undefined, game: GameTimes, now: Date) {
  return refuseParticipant(status) ?? refusePhase(call, game, now)
}
