import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

/** What the rules about a team look at. */
export type TeamFacts = Readonly<{
  captainId: string
  /** The team is locked and takes part in a game that is not over. */
  isLocked: boolean
  memberIds: readonly string[]
}>

type Refusal = ProblemCode | undefined

/** Everything that only the captain may do. */
export function refuseCaptainAction(userId: string, team: Pick<TeamFacts, 'captainId'>): Refusal {
  return userId === team.captainId ? undefined : 'team.not-captain'
}

/** Each player may create only one team. */
export function refuseCreation(teamsOfCaptain: number): Refusal {
  return teamsOfCaptain > 0 ? 'team.already-captain' : undefined
}

/** Applies to captains and admins: an admin unlocks the team first. */
export function refuseRemoval(targetId: string, team: TeamFacts): Refusal {
  if (!team.memberIds.includes(targetId)) return 'team.member-unknown'
  if (targetId === team.captainId) return 'team.captain-stays'
  return team.isLocked ? 'team.locked' : undefined
}

export function refuseKick(actorId: string, targetId: string, team: TeamFacts): Refusal {
  return refuseCaptainAction(actorId, team) ?? refuseRemoval(targetId, team)
}

export function refuseLeaving(userId: string, team: TeamFacts): Refusal {
  if (!team.memberIds.includes(userId)) return 'team.not-member'
  if (userId === team.captainId) return 'team.captain-stays'
  return team.isLocked ? 'team.locked' : undefined
}

/**
 * An admin appoints a captain of a locked team too: a captain who is ill must not block the team in a game.
 * @param teamsOfNewCaptain teams that the new captain leads already, this one not counted
 */
export function refuseAppointment(
  newCaptainId: string,
  team: Pick<TeamFacts, 'captainId' | 'memberIds'>,
  teamsOfNewCaptain: number,
): Refusal {
  if (!team.memberIds.includes(newCaptainId)) return 'team.member-unknown'
  if (newCaptainId === team.captainId) return undefined
  return teamsOfNewCaptain >= Limits.captainOfTeamsMax ? 'team.captain-of-too-many' : undefined
}

/** @param teamsOfNewCaptain teams that the new captain leads already, this one not counted */
export function refuseTransfer(actorId: string, newCaptainId: string, team: TeamFacts, teamsOfNewCaptain: number): Refusal {
  if (actorId !== team.captainId) return 'team.not-captain'
  return team.isLocked ? 'team.locked' : refuseAppointment(newCaptainId, team, teamsOfNewCaptain)
}

export function refuseDisbanding(actorId: string, team: TeamFacts): Refusal {
  if (actorId !== team.captainId) return 'team.not-captain'
  return team.isLocked ? 'team.locked' : undefined
}
