import { ParticipationStatus } from '@capstan/contract/games'
import { type GameTimes, type PhaseCall, refusePhase } from '@capstan/contract/phases'
import type { ProblemCode } from '@capstan/contract/problems'

/** Status of a team in a game as it is stored; `Unsubmitted` means that there is no participation. */
export type StoredStatus = Exclude<ParticipationStatus, 'Unsubmitted'>

/**
 * What must follow in the same transaction (lock, assignments) and after it (instances).
 * Rules: docs/contract/games-and-joining.md#reviewing.
 */
export interface StatusEffects {
  /** False: the status is as it was and nothing happens. */
  readonly changesStatus: boolean
  readonly locksTeam: boolean
  /** Makes the team's assignment of every enabled challenge. */
  readonly createsAssignments: boolean
  /** Ends the running instances of the team in this game. */
  readonly stopsInstances: boolean
}

/** @param from undefined for a participation that is created with status `to` */
export const statusEffects = (from: StoredStatus | undefined, to: StoredStatus): StatusEffects => {
  const entersGame = from !== 'Accepted' && to === 'Accepted'
  const leavesGame = from === 'Accepted' && to !== 'Accepted'
  return {
    changesStatus: from !== to,
    locksTeam: entersGame,
    createsAssignments: entersGame,
    stopsInstances: leavesGame,
  }
}

const isStoredStatus = (status: string): status is StoredStatus =>
  status !== 'Unsubmitted' && ParticipationStatus.enum.some((known) => known === status)

/** Whether an admin may give a team this status: any of the four stored ones, from any other. */
export const refuseStatus = (status: string): Extract<ProblemCode, 'participation.status'> | undefined =>
  isStoredStatus(status) ? undefined : 'participation.status'

/** Whether the caller may leave the game. @param status of the caller's participation, undefined without one */
export const refuseLeave = (
  status: StoredStatus | undefined,
): Extract<ProblemCode, 'leave.not-joined' | 'leave.too-late'> | undefined => {
  if (status === undefined) return 'leave.not-joined'
  return status === 'Pending' || status === 'Rejected' ? undefined : 'leave.too-late'
}

/** Whether the caller takes part at all. @param status of the caller's participation, undefined without one */
export const refuseParticipant = (
  status: StoredStatus | undefined,
): Extract<ProblemCode, `participation.${'required' | 'suspended' | 'not-accepted'}`> | undefined => {
  if (status === undefined) return 'participation.required'
  if (status === 'Suspended') return 'participation.suspended'
  return status === 'Accepted' ? undefined : 'participation.not-accepted'
}

/**
 * The checks of a player's call in their order: joined, accepted, not too early, not too late.
 * Rules: docs/contract/games-and-joining.md#order-of-checks.
 */
export const refusePlayer = (call: PhaseCall, status: StoredStatus | undefined, game: GameTimes, now: Date) =>
  refuseParticipant(status) ?? refusePhase(call, game, now)
