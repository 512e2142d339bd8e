import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

export type TeamFacts = Readonly<{
  captainId: string
  /** True if the team is locked and participates in a game that has not ended. */
  isLocked: boolean
  memberIds: readonly string[]
}>

type Refusal = ProblemCode | undefined

export function refuseUnlessCaptain(userId: string, team: Pick<TeamFacts, 'captainId'>): Refusal {
  return userId === team.captainId ? undefined : 'team.not-captain'
}

export function refuseTeamCreation(teamsOfCaptain: number): Refusal {
  return teamsOfCaptain > 0 ? 'team.already-captain' : undefined
}

/**
 * Refuses a new membership that a user requested.
 * @param members number of members of the team, including the new member
 * @param teamsOfUser number of teams of the user, including this team
 */
export function refuseMembership(members: number, teamsOfUser: number): Refusal {
  if (members > Limits.maxTeamMembers) return 'team.full'
  return teamsOfUser > Limits.maxTeamsPerUser ? 'team.too-many' : undefined
}

/** Refuses the removal of a member by a captain or an admin. An admin must first unlock a locked team. */
export function refuseMemberRemoval(targetId: string, team: TeamFacts): Refusal {
  if (!team.memberIds.includes(targetId)) return 'team.member-unknown'
  if (targetId === team.captainId) return 'team.captain-stays'
  return team.isLocked ? 'team.locked' : undefined
}

export function refuseMemberKick(actorId: string, targetId: string, team: TeamFacts): Refusal {
  return refuseUnlessCaptain(actorId, team) ?? refuseMemberRemoval(targetId, team)
}

export function refuseLeavingTeam(userId: string, team: TeamFacts): Refusal {
  if (!team.memberIds.includes(userId)) return 'team.not-member'
  if (userId === team.captainId) return 'team.captain-stays'
  return team.isLocked ? 'team.locked' : undefined
}

/**
 * Refuses the appointment of a captain by an admin. A locked team is allowed, so that an absent captain cannot block the team
 * during a game.
 * @param teamsOfNewCaptain number of other teams that the new captain already leads
 */
export function refuseCaptainAppointment(
  newCaptainId: string,
  team: Pick<TeamFacts, 'captainId' | 'memberIds'>,
  teamsOfNewCaptain: number,
): Refusal {
  if (!team.memberIds.includes(newCaptainId)) return 'team.member-unknown'
  if (newCaptainId === team.captainId) return undefined
  return teamsOfNewCaptain >= Limits.maxTeamsPerCaptain ? 'team.captain-of-too-many' : undefined
}

export function refuseTeamTransfer(actorId: string, newCaptainId: string, team: TeamFacts, teamsOfNewCaptain: number): Refusal {
  if (actorId !== team.captainId) return 'team.not-captain'
  return team.isLocked ? 'team.locked' : refuseCaptainAppointment(newCaptainId, team, teamsOfNewCaptain)
}

/**
 * Refuses to disband a team. The lock ends with the game, but the board can stay frozen after that. Without the team, ranks and
 * values on the frozen board would change.
 */
export function refuseTeamDisbanding(actorId: string, team: TeamFacts & { readonly isOnFrozenBoard: boolean }): Refusal {
  if (actorId !== team.captainId) return 'team.not-captain'
  return team.isLocked || team.isOnFrozenBoard ? 'team.locked' : undefined
}
