import type { AdminUser } from '@capstan/contract/admin'
import type { Role } from '@capstan/contract/common'
import { Ban, CircleCheck, KeyRound, MoreHorizontal, Pencil, Trash2, Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/ui/dropdown-menu.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { hasBeenSeen } from './user-changes.ts'
import styles from './users.module.css'

export type UserTask = 'edit' | 'activate' | 'ban' | 'unban' | 'reset' | 'delete'

interface UserTableProps {
  readonly users: readonly AdminUser[]
  /** The admin who looks: may not ban or delete this account. */
  readonly ownId: string | undefined
  readonly onTask: (task: UserTask, user: AdminUser) => void
}

const roleTones: Readonly<Record<Role, BadgeTone>> = { Banned: 'bad', User: 'neutral', Monitor: 'brand', Admin: 'warn' }

export function UserTable({ users, ownId, onTask }: UserTableProps) {
  const { t } = useTranslation('admin-users')
  return (
    <Table label={t('table')} listOnPhone className={styles.users}>
      <thead>
        <tr>
          <th scope="col">{t('column.user')}</th>
          <th scope="col">{t('column.email')}</th>
          <th scope="col">{t('column.role')}</th>
          <th scope="col">{t('column.number')}</th>
          <th scope="col">{t('column.visit')}</th>
          <th scope="col" className={tableEnd}>
            <span className="visually-hidden">{t('column.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <UserRow key={user.id} user={user} isOwn={user.id === ownId} onTask={(task) => onTask(task, user)} />
        ))}
      </tbody>
    </Table>
  )
}

interface UserRowProps {
  readonly user: AdminUser
  readonly isOwn: boolean
  readonly onTask: (task: UserTask) => void
}

function UserRow({ user, isOwn, onTask }: UserRowProps) {
  const { t } = useTranslation(['admin-users', 'common'])
  const name = user.userName ?? ''
  const hasVisited = hasBeenSeen(user)
  return (
    <tr data-banned={user.role === 'Banned'}>
      <th scope="row">
        <span className={styles.person}>
          <Avatar name={name} src={user.avatar} size={28} />
          <span className={styles.names}>
            <button type="button" className={styles.name} onClick={() => onTask('edit')}>
              {name}
            </button>
            {user.realName && <span className="tiny muted truncate">{user.realName}</span>}
          </span>
          {isOwn && <Badge>{t('you')}</Badge>}
        </span>
      </th>
      <td data-label={t('column.email')}>
        <span className={styles.mail}>
          <span className="truncate">{user.email}</span>
          {!user.emailConfirmed && <Badge tone="warn">{t('unconfirmed')}</Badge>}
        </span>
      </td>
      <td data-label={t('column.role')}>
        <Badge tone={roleTones[user.role]}>{t(`common:role.${user.role}`)}</Badge>
      </td>
      <td data-label={t('column.number')} className="number muted">
        {user.stdNumber || '–'}
      </td>
      <td data-label={t('column.visit')}>
        <span className={styles.visit}>
          {hasVisited ? <RelativeTime at={user.lastVisitedUtc} /> : <span className="muted">{t('never')}</span>}
          {hasVisited && <span className="tiny faint mono">{user.ip}</span>}
        </span>
      </td>
      <td className={tableEnd}>
        <span className={styles.actions}>
          <IconButton size="small" label={t('edit', { name })} onClick={() => onTask('edit')}>
            <Pencil />
          </IconButton>
          <Menu
            trigger={
              <IconButton size="small" label={t('more', { name })}>
                <MoreHorizontal />
              </IconButton>
            }
          >
            {!user.emailConfirmed && (
              <MenuItem icon={<CircleCheck />} onSelect={() => onTask('activate')}>
                {t('activate')}
              </MenuItem>
            )}
            <MenuItem icon={<KeyRound />} onSelect={() => onTask('reset')}>
              {t('resetPassword')}
            </MenuItem>
            {!isOwn && (
              <>
                <MenuSeparator />
                {user.role === 'Banned' ? (
                  <MenuItem icon={<Undo2 />} onSelect={() => onTask('unban')}>
                    {t('unban')}
                  </MenuItem>
                ) : (
                  <MenuItem icon={<Ban />} danger onSelect={() => onTask('ban')}>
                    {t('ban')}
                  </MenuItem>
                )}
                <MenuItem icon={<Trash2 />} danger onSelect={() => onTask('delete')}>
                  {t('delete')}
                </MenuItem>
              </>
            )}
          </Menu>
        </span>
      </td>
    </tr>
  )
}
