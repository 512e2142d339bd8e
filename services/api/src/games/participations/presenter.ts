import { pathOfPicture } from '@capstan/contract/asset-address'
import type { ParticipationRecord } from '@capstan/contract/games'
import { presentProfile } from '../../people/accounts/service.ts'
import type { ParticipationRow, TeamRow, UserRow } from './repository.ts'

type Reviewed = Readonly<{
  members: readonly UserRow[]
  /** Ids of the members who joined the game. */
  registered: readonly string[]
  divisionId: number | null
  waitingPlace: number | null
  missingAnswers: number
}>

export function presentParticipation(
  participation: ParticipationRow,
  team: TeamRow,
  { members, registered, divisionId, waitingPlace, missingAnswers }: Reviewed,
): ParticipationRecord {
  return {
    id: participation.id,
    team: {
      id: team.id,
      name: team.name,
      bio: team.bio,
      avatar: pathOfPicture(team.avatarHash, 'avatar'),
      locked: team.locked,
      captainId: team.captainId,
      members: members.map(presentProfile),
    },
    registeredMembers: [...registered],
    organization: participation.division,
    divisionId,
    status: participation.status,
    waitingPlace,
    missingAnswers,
  }
}
