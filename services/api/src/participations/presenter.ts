import type { UserProfile } from '@capstan/contract/accounts'
import type { ParticipationRecord } from '@capstan/contract/games'
import type { ParticipationRow, TeamRow, UserRow } from './repository.ts'

const avatarUrl = (hash: string | null): string | null => (hash === null ? null : `/assets/${hash}/avatar`)

/** Full profile, for admins. */
const presentProfile = (user: UserRow): UserProfile => ({
  userId: user.id,
  userName: user.userName,
  email: user.email,
  bio: user.bio,
  phone: user.phone,
  realName: user.realName,
  stdNumber: user.stdNumber,
  avatar: avatarUrl(user.avatarHash),
  role: user.role,
})

/** A team of a game for review. @param registered ids of the members who joined the game */
export const presentParticipation = (
  participation: ParticipationRow,
  team: TeamRow,
  members: readonly UserRow[],
  registered: readonly string[],
): ParticipationRecord => ({
  id: participation.id,
  team: {
    id: team.id,
    name: team.name,
    bio: team.bio,
    avatar: avatarUrl(team.avatarHash),
    locked: team.locked,
    captainId: team.captainId,
    members: members.map(presentProfile),
  },
  registeredMembers: [...registered],
  organization: participation.division,
  status: participation.status,
})
