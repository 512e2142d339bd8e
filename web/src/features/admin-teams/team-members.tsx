import { operations, ownOperations } from '@capstan/contract/operations'
import type { TeamInfo, TeamMember } from '@capstan/contract/teams'
import { ArrowRightLeft, Crown, MoreHorizontal, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { MenuItem, MenuSeparator, PopupMenu } from '../../components/ui/dropdown-menu.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { type Found, MemberPicker } from './member-picker.tsx'
import { listMembersCaptainFirst, refreshTeams } from './team-changes.ts'

function nameOf({ userName }: TeamMember): string {
  return userName ?? ''
}

type TeamMembersProps = Readonly<{
  team: TeamInfo
  onChange: (team: TeamInfo) => void
}>

async function findUsers(hint: string): Promise<Found[]> {
  const { data } = await call(operations.searchUsers, { query: { hint } })
  return data.map(({ id, userName, email }) => ({ id: id ?? '', name: userName ?? '', note: email ?? '' }))
}

async function findTeams(hint: string): Promise<Found[]> {
  const { data } = await call(operations.searchTeams, { query: { hint } })
  return data.map(({ id, name }) => ({ id: String(id), name: name ?? '', note: `#${id}` }))
}

export function TeamMembers({ team, onChange }: TeamMembersProps) {
  const { t } = useTranslation('admin-teams')
  const [moved, setMoved] = useState<TeamMember>()
  const [removed, setRemoved] = useState<TeamMember>()
  const members = listMembersCaptainFirst(team)
  const change = useAction(async (work: () => Promise<TeamInfo>) => {
    onChange(await work())
    await refreshTeams()
    showToast({ tone: 'ok', title: t('form.changed', { name: team.name ?? '' }) })
    setMoved(undefined)
    setRemoved(undefined)
  })
  const paramsOf = (userId: string) => ({ params: { id: team.id, userId } })
  const add = ({ id }: Found) => change.run(() => call(ownOperations.putTeamMember, paramsOf(id ?? '')))
  const appoint = ({ id }: TeamMember) => change.run(() => call(ownOperations.setTeamCaptain, paramsOf(id ?? '')))
  const move = ({ id }: TeamMember, target: Found) =>
    change.run(async () => {
      const params = { id: Number(target.id), userId: id ?? '' }
      await call(ownOperations.putTeamMember, { params, query: { from: team.id } })
      return { ...team, members: members.filter((member) => member.id !== id) }
    })
  return (
    <section className="stack gap-2" aria-label={t('form.members')}>
      <h3 className="small">{t('form.members')}</h3>
      <ul className="stack gap-2 box">
        {members.map((member) => (
          <li key={member.id} className="line gap-3">
            <Avatar name={member.userName} src={member.avatar} size={24} />
            <bdi className="grow wrap-anywhere">{member.userName}</bdi>
            {member.captain ? (
              <Badge tone="brand">{t('form.captain')}</Badge>
            ) : (
              <PopupMenu
                trigger={
                  <IconButton size="small" label={t('form.actionsFor', { name: nameOf(member) })}>
                    <MoreHorizontal />
                  </IconButton>
                }
              >
                <MenuItem icon={<Crown />} onSelect={() => void appoint(member)}>
                  {t('form.makeCaptain')}
                </MenuItem>
                <MenuItem icon={<ArrowRightLeft />} onSelect={() => setMoved(member)}>
                  {t('form.move')}
                </MenuItem>
                <MenuSeparator />
                <MenuItem icon={<UserMinus />} danger onSelect={() => setRemoved(member)}>
                  {t('form.remove')}
                </MenuItem>
              </PopupMenu>
            )}
          </li>
        ))}
      </ul>
      {moved ? (
        <MemberPicker
          key={moved.id}
          label={t('form.moveTo', { name: nameOf(moved) })}
          hint={t('form.moveHint', { name: nameOf(moved) })}
          find={async (hint) => (await findTeams(hint)).filter(({ id }) => id !== String(team.id))}
          busy={change.busy}
          onPick={(target) => void move(moved, target)}
          onCancel={() => setMoved(undefined)}
        />
      ) : (
        <MemberPicker
          label={t('form.add')}
          hint={t('form.addHint')}
          find={async (hint) => (await findUsers(hint)).filter((user) => members.every(({ id }) => id !== user.id))}
          busy={change.busy}
          onPick={(user) => void add(user)}
        />
      )}
      {change.error !== undefined && !removed && (
        <FieldError>
          <ErrorText error={change.error} />
        </FieldError>
      )}
      {removed && (
        <ConfirmationDialog
          open
          onOpenChange={() => setRemoved(undefined)}
          title={t('form.removeQuestion', { name: nameOf(removed) })}
          description={t('form.removeText')}
          confirm={t('form.remove')}
          danger
          busy={change.busy}
          error={change.error === undefined ? undefined : <ErrorText error={change.error} />}
          onConfirm={() => void change.run(() => call(ownOperations.removeTeamMember, paramsOf(removed.id ?? '')))}
        />
      )}
    </section>
  )
}
