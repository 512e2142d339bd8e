import { operations } from '@capstan/contract/operations'
import type { TeamInfo, TeamMember } from '@capstan/contract/teams'
import { refreshCall, setCallData } from '../../lib/server-state.ts'

/** Replaces a team in the cached list by the server's response, and then reads the list again. */
export async function updateTeamInList(team: TeamInfo): Promise<void> {
  await setCallData([operations.listOwnTeams], (known) => known?.map((each) => (each.id === team.id ? team : each)))
  await refreshCall(operations.listOwnTeams)
}

export async function removeTeamFromList(id: number): Promise<void> {
  await setCallData([operations.listOwnTeams], (known) => known?.filter((each) => each.id !== id))
  await refreshCall(operations.listOwnTeams)
}

/** Returns the members of a team: the captain first, then the other members by name. */
export function listMembersCaptainFirst(team: TeamInfo): readonly TeamMember[] {
  return [...(team.members ?? [])].sort(
    (one, other) => Number(other.captain) - Number(one.captain) || (one.userName ?? '').localeCompare(other.userName ?? ''),
  )
}

export function isCaptainOfTeam(team: TeamInfo, userId: string | undefined): boolean {
  return (team.members ?? []).some((member) => member.captain && member.id === userId)
}
