import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { PeopleList } from '../features/profiles/people.tsx'
import { ProfileScreen, ProfileState } from '../features/profiles/profile-screen.tsx'
import { gamesShown, isPageMissing, profileRules } from '../features/profiles/reading.ts'
import { paths } from '../lib/paths.ts'
import { useQueryPage } from '../lib/query-state.ts'
import { useCall } from '../lib/server-state.ts'
import { useSession } from '../lib/session.ts'

export function Route() {
  const { userId = '' } = useParams()
  return <PlayerPage key={userId} id={userId} />
}

function PlayerPage({ id }: { readonly id: string }) {
  const { t } = useTranslation('profiles')
  const { profile: self } = useSession()
  const { page, setPage } = useQueryPage()
  const read = useCall(
    ownOperations.getUserProfile,
    { params: { id }, query: { count: gamesShown, skip: page * gamesShown } },
    profileRules,
  )
  const { data: player } = read
  if (!player || isPageMissing(read.error)) return <ProfileState kind="player" read={read} />
  return (
    <ProfileScreen
      kind="player"
      name={player.userName}
      profile={player}
      edit={player.id === self?.userId ? paths.profile.to() : undefined}
      page={page}
      onPageChange={setPage}
    >
      <PeopleList
        team
        id="profile-teams"
        title={t('teams')}
        none={t('noTeams')}
        people={player.teams.map(({ id: teamId, name, avatar }) => ({ id: teamId, name, avatar, to: paths.team.to(teamId) }))}
      />
    </ProfileScreen>
  )
}
