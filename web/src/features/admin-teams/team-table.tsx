import type { TeamInfo } from '@capstan/contract/teams'
import { Lock, LockOpen, MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/ui/dropdown-menu.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { membersOf } from './team-changes.ts'
import styles from './teams.module.css'

export type TeamTask = 'edit' | 'lock' | 'unlock' | 'delete'

interface TeamTableProps {
  readonly teams: readonly TeamInfo[]
  readonly onTask: (task: TeamTask, team: TeamInfo) => void
}

const shownMembers = 4

export function TeamTable({ teams, onTask }: TeamTableProps) {
  const { t } = useTranslation('admin-teams')
  return (
    <Table label={t('table')} listOnPhone className={styles.teams}>
      <thead>
        <tr>
          <th scope="col">{t('column.team')}</th>
          <th scope="col">{t('column.id')}</th>
          <th scope="col">{t('column.captain')}</th>
          <th scope="col">{t('column.members')}</th>
          <th scope="col">{t('column.state')}</th>
          <th scope="col" className={tableEnd}>
            <span className="visually-hidden">{t('column.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {teams.map((team) => (
          <TeamRow key={team.id} team={team} onTask={(task) => onTask(task, team)} />
        ))}
      </tbody>
    </Table>
  )
}

function TeamRow({ team, onTask }: { readonly team: TeamInfo; readonly onTask: (task: TeamTask) => void }) {
  const { t } = useTranslation('admin-teams')
  const name = team.name ?? ''
  const members = membersOf(team)
  const captain = members.find((member) => member.captain)
  return (
    <tr>
      <th scope="row">
        <span className={styles.team}>
          <Avatar team name={name} src={team.avatar} size={28} />
          <span className={styles.names}>
            <button type="button" className={styles.name} onClick={() => onTask('edit')}>
              {name}
            </button>
            {team.bio && <span className={styles.bio}>{team.bio}</span>}
          </span>
        </span>
      </th>
      <td data-label={t('column.id')} className="number muted">
        {team.id}
      </td>
      <td data-label={t('column.captain')} className={styles.wrap}>
        {captain?.userName ?? '–'}
      </td>
      <td data-label={t('column.members')}>
        <span className={styles.members} title={members.map(({ userName }) => userName).join(', ')}>
          <span className={styles.faces} aria-hidden>
            {members.slice(0, shownMembers).map((member) => (
              <Avatar key={member.id} name={member.userName} src={member.avatar} size={22} />
            ))}
          </span>
          <span className="small muted">{t('members', { count: members.length })}</span>
        </span>
      </td>
      <td data-label={t('column.state')}>
        {team.locked ? (
          <Badge tone="warn">
            <Lock aria-hidden />
            {t('locked')}
          </Badge>
        ) : (
          <span className="muted">{t('open')}</span>
        )}
      </td>
      <td className={tableEnd}>
        <span className={styles.actions}>
          <IconButton size="small" label={t('edit', { name })} onClick={() => onTask('edit')}>
            <Pencil />
          </IconButton>
          <Menu
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
          </Menu>
        </span>
      </td>
    </tr>
  )
}
