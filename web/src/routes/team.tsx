import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { PeopleList } from '../features/profiles/people.tsx'
import { ProfileScreen, ProfileState } from '../features/profiles/profile-screen.tsx'
import { gamesShown, isPageMissing, profileRules } from '../features/profiles/reading.ts'
import { useNumberInAddress } from '../lib/game.ts'
import { paths } from '../lib/paths.ts'
import { useQueryPage } from '../lib/query-state.ts'
import { useCall } from '../lib/server-state.ts'
import { useSession } from '../lib/session.ts'

export function Route() {
  const id = useNumberInAddress('id')
  return id === undefined ? <ProfileState kind="team" read={undefined} /> : <TeamPage key={id} id={id} />
}

function TeamPage({ id }: { readonly id: number }) {
  const { t } = useTranslation('profiles')
  const { profile: self, role } = useSession()
  const { page, setPage } = useQueryPage()
  const read = useCall(
    ownOperations.getTeamProfile,
    { params: { id }, query: { count: gamesShown, skip: page * gamesShown } },
    profileRules,
  )
  const { data: team } = read
  if (!team || isPageMissing(read.error)) return <ProfileState kind="team" read={read} />
  const isMember = team.members.some((member) => member.id === self?.userId)
  return (
    <ProfileScreen
      kind="team"
      name={team.name}
      profile={team}
      edit={isMember ? paths.teams.to() : undefined}
      page={page}
      onPageChange={setPage}
    >
      <PeopleList
        id="profile-members"
        title={t('members')}
        people={team.members.map((member) => ({
          id: member.id,
          name: member.userName,
          avatar: member.avatar,
          to: member.hasPublicPage || member.id === self?.userId || role === 'Admin' ? paths.player.to(member.id) : undefined,
          note: member.captain && <span className="muted small end">{t('captain')}</span>,
        }))}
      />
    </ProfileScreen>
  )
}
