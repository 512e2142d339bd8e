import type { TeamInfo } from '@capstan/contract/teams'
import { Lock, LockOpen, MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { type Column, RowNameCell } from '../../components/ui/data-table.tsx'
import { MenuItem, MenuSeparator, PopupMenu } from '../../components/ui/dropdown-menu.tsx'
import { isolateDirection } from '../../lib/i18n.ts'
import { listMembersCaptainFirst } from './team-changes.ts'
import styles from './teams.module.css'

export type TeamTask = 'edit' | 'lock' | 'unlock' | 'delete'

const shownMembers = 4

export const teamTable = { keyOf: ({ id }: TeamInfo) => id, className: styles.teams }

export function useTeamColumns(onTask: (task: TeamTask, team: TeamInfo) => void): readonly Column<TeamInfo>[] {
  const { t } = useTranslation('admin-teams')
  return [
    {
      head: t('column.team'),
      sort: 'name',
      kind: 'name',
      bare: true,
      cell: (team) => (
        <RowNameCell
          lead={<Avatar team name={team.name} src={team.avatar} size={28} />}
          note={team.bio}
          onOpen={() => onTask('edit', team)}
        >
          {team.name}
        </RowNameCell>
      ),
      loadingWidth: '60%',
    },
    { head: t('column.id'), sort: 'id', className: 'number muted', cell: ({ id }) => id, loadingWidth: '24px' },
    {
      head: t('column.captain'),
      sort: 'captain',
      className: 'wrap-anywhere',
      cell: (team) => <bdi>{listMembersCaptainFirst(team).find(({ captain }) => captain)?.userName ?? '–'}</bdi>,
      loadingWidth: '60%',
    },
    { head: t('column.members'), sort: 'members', cell: (team) => <Members team={team} />, loadingWidth: '70%' },
    {
      head: t('column.state'),
      sort: 'locked',
      cell: ({ locked }) =>
        locked ? (
          <Badge tone="warn">
            <Lock aria-hidden />
            {t('locked')}
          </Badge>
        ) : (
          <span className="muted">{t('open')}</span>
        ),
      loadingWidth: '56px',
    },
    {
      head: t('column.actions'),
      kind: 'actions',
      cell: (team) => <TeamActions team={team} onTask={(task) => onTask(task, team)} />,
      loadingWidth: '60px',
    },
  ]
}

function Members({ team }: { readonly team: TeamInfo }) {
  const { t } = useTranslation('admin-teams')
  const members = listMembersCaptainFirst(team)
  return (
    <span className="inline gap-2 nowrap" title={members.map(({ userName }) => isolateDirection(userName ?? '')).join(', ')}>
      <span className={styles.faces} aria-hidden>
        {members.slice(0, shownMembers).map((member) => (
          <Avatar key={member.id} name={member.userName} src={member.avatar} size={22} />
        ))}
      </span>
      <span className="small muted">{t('members', { count: members.length })}</span>
    </span>
  )
}

function TeamActions({ team, onTask }: Readonly<{ team: TeamInfo; onTask: (task: TeamTask) => void }>) {
  const { t } = useTranslation('admin-teams')
  const name = team.name ?? ''
  return (
    <>
      <IconButton size="small" label={t('edit', { name })} onClick={() => onTask('edit')}>
        <Pencil />
      </IconButton>
      <PopupMenu
        trigger={
          <IconButton size="small" label={t('moreFor', { name })}>
            <MoreHorizontal />
          </IconButton>
        }
      >
        {team.locked ? (
          <MenuItem icon={<LockOpen />} onSelect={() => onTask('unlock')}>
            {t('unlock')}
          </MenuItem>
        ) : (
          <MenuItem icon={<Lock />} onSelect={() => onTask('lock')}>
            {t('lock')}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={<Trash2 />} danger onSelect={() => onTask('delete')}>
          {t('delete')}
        </MenuItem>
      </PopupMenu>
    </>
  )
}
