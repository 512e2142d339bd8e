import type { AdminUser } from '@capstan/contract/admin'
import type { Role } from '@capstan/contract/common'
import { Ban, CircleCheck, KeyRound, LogOut, MoreHorizontal, Pencil, ShieldOff, Trash2, Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, RowNameCell } from '../../components/ui/data-table.tsx'
import { MenuItem, MenuSeparator, PopupMenu } from '../../components/ui/dropdown-menu.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { hasMadeApiCall } from './user-changes.ts'
import styles from './users.module.css'

export type UserTask = 'edit' | 'activate' | 'ban' | 'unban' | 'reset' | 'end-sessions' | 'remove-factor' | 'delete'

const roleTones: Readonly<Record<Role, BadgeTone>> = { Banned: 'bad', User: 'neutral', Monitor: 'brand', Admin: 'warn' }

export const userTable = {
  keyOf: ({ id }: AdminUser) => id,
  rowProps: ({ role }: AdminUser) => ({ 'data-banned': role === 'Banned' }),
  className: styles.users,
}

/** @param ownId id of the current admin. Admins must not ban or delete their own accounts */
export function useUserColumns(
  ownId: string | undefined,
  onTask: (task: UserTask, user: AdminUser) => void,
): readonly Column<AdminUser>[] {
  const { t } = useTranslation(['admin-users', 'common'])
  return [
    {
      head: t('column.user'),
      sort: 'name',
      kind: 'name',
      bare: true,
      cell: (user) => (
        <RowNameCell
          lead={<Avatar name={user.userName ?? ''} src={user.avatar} size={28} />}
          note={user.realName}
          after={user.id === ownId && <Badge>{t('you')}</Badge>}
          onOpen={() => onTask('edit', user)}
        >
          {user.userName}
        </RowNameCell>
      ),
      loadingWidth: '70%',
    },
    {
      head: t('column.email'),
      sort: 'email',
      cell: ({ userName, email, emailConfirmed }) => (
        <span className={cx('line', styles.mail)}>
          <span className="truncate" {...(email && { title: email })}>
            {email}
          </span>
          {email && <CopyButton text={email} label={t('copyEmail', { name: userName ?? '' })} />}
          {!emailConfirmed && <Badge tone="warn">{t('unconfirmed')}</Badge>}
        </span>
      ),
      loadingWidth: '80%',
    },
    {
      head: t('column.role'),
      sort: 'role',
      cell: ({ role }) => <Badge tone={roleTones[role]}>{t(`common:role.${role}`)}</Badge>,
      loadingWidth: '48px',
    },
    {
      head: t('column.number'),
      sort: 'number',
      className: 'number muted',
      cell: ({ stdNumber }) => stdNumber || '–',
      loadingWidth: '64px',
    },
    {
      head: t('column.registered'),
      sort: 'registered',
      className: 'muted',
      cell: ({ registerTimeUtc }) => <RelativeTime at={registerTimeUtc} />,
      loadingWidth: '70px',
    },
    { head: t('column.visit'), sort: 'visited', cell: (user) => <LastVisit user={user} />, loadingWidth: '90px' },
    {
      head: t('column.actions'),
      kind: 'actions',
      cell: (user) => <UserActions user={user} isOwn={user.id === ownId} onTask={(task) => onTask(task, user)} />,
      loadingWidth: '60px',
    },
  ]
}

function LastVisit({ user }: { readonly user: AdminUser }) {
  const { t } = useTranslation('admin-users')
  return (
    <span className="stack gap-0 tight nowrap">
      {hasMadeApiCall(user) ? (
        <>
          <RelativeTime at={user.lastVisitedUtc} />
          <span className="tiny faint mono">{user.ip}</span>
        </>
      ) : (
        <span className="muted">{t('never')}</span>
      )}
    </span>
  )
}

type UserActionsProps = Readonly<{
  user: AdminUser
  isOwn: boolean
  onTask: (task: UserTask) => void
}>

function UserActions({ user, isOwn, onTask }: UserActionsProps) {
  const { t } = useTranslation('admin-users')
  const name = user.userName ?? ''
  return (
    <>
      <IconButton size="small" label={t('edit', { name })} onClick={() => onTask('edit')}>
        <Pencil />
      </IconButton>
      <PopupMenu
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
            <MenuItem icon={<LogOut />} onSelect={() => onTask('end-sessions')}>
              {t('endSessions')}
            </MenuItem>
            <MenuItem icon={<ShieldOff />} onSelect={() => onTask('remove-factor')}>
              {t('removeFactor')}
            </MenuItem>
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
      </PopupMenu>
    </>
  )
}
