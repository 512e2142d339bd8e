import type { TeamInfo } from '@capstan/contract/teams'
import { avatarUrl } from '../files/asset-url.ts'
import type { MemberRow, TeamRow } from './repository.ts'

/** A team with its members, as everybody may see it. Behaviour §6, team page. */
export const presentTeam = (team: TeamRow, members: readonly MemberRow[]): TeamInfo => ({
  id: team.id,
  name: team.name,
  bio: team.bio,
  avatar: avatarUrl(team.avatarHash),
  locked: team.locked,
  members: members
    .filter(({ teamId }) => teamId === team.id)
    .map((member) => ({
      id: member.id,
      userName: member.userName,
      bio: member.bio,
      avatar: avatarUrl(member.avatarHash),
      captain: member.id === team.captainId,
    })),
})
