import type { AdminTeamUpdate } from '@capstan/contract/admin'
import { operations } from '@capstan/contract/operations'
import type { TeamInfo, TeamMember } from '@capstan/contract/teams'
import { call } from '../../lib/http.ts'
import { refreshCallsWithPrefix } from '../../lib/server-state.ts'

export type TeamDraft = Readonly<{
  name: string
  bio: string
  locked: boolean
}>

export function toTeamDraft(team: TeamInfo): TeamDraft {
  return { name: team.name ?? '', bio: team.bio ?? '', locked: team.locked }
}

export function listTeamChanges(stored: TeamDraft, draft: TeamDraft): AdminTeamUpdate {
  const [name, bio] = [draft.name.trim(), draft.bio.trim()]
  return {
    ...(name !== stored.name && { name }),
    ...(bio !== stored.bio && bio !== '' && { bio }),
    ...(draft.locked !== stored.locked && { locked: draft.locked }),
  }
}

/** Returns the members: the captain first, then the other members in the server's order. */
export function listMembersCaptainFirst(team: TeamInfo): readonly TeamMember[] {
  return (team.members ?? []).toSorted((one, other) => Number(other.captain) - Number(one.captain))
}

export async function changeTeam(team: TeamInfo, body: AdminTeamUpdate): Promise<void> {
  await call(operations.adminUpdateTeam, { params: { id: team.id }, body })
  await refreshTeams()
}

/** Reads the current state of the team. If the team was deleted, returns `team` unchanged. */
export async function readTeam(team: TeamInfo): Promise<TeamInfo> {
  const { data } = await call(operations.searchTeams, { query: { hint: String(team.id) } })
  return data.find(({ id }) => id === team.id) ?? team
}

export function refreshTeams(): Promise<unknown> {
  return refreshCallsWithPrefix('/api/admin/teams')
}
