import { pathOfPicture } from '@capstan/contract/asset-address'
import type { TeamInfo } from '@capstan/contract/teams'
import type { MemberRow, TeamRow } from './repository.ts'

export function presentTeam(team: TeamRow, members: readonly MemberRow[], isOfProvider: boolean): TeamInfo {
  return {
    id: team.id,
    name: team.name,
    bio: team.bio,
    avatar: pathOfPicture(team.avatarHash, 'avatar'),
    locked: team.locked,
    members: members.map((member) => ({
      id: member.id,
      userName: member.userName,
      bio: member.bio,
      avatar: pathOfPicture(member.avatarHash, 'avatar'),
      captain: member.id === team.captainId,
    })),
    ...(isOfProvider && { ofProvider: true }),
  }
}
