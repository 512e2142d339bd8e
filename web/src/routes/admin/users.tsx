import { type AdminUser, type AdminUserUpdate, userOrders } from '@capstan/contract/admin'
import { ownOperations } from '@capstan/contract/operations'
import { roles } from '@capstan/contract/roles'
import { UserPlus, UserSearch } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AdminList, useListQuery } from '../../components/editing/admin-list.tsx'
import { GameFilter, useGameFilter } from '../../components/editing/game-filter.tsx'
import { useRowSelection } from '../../components/editing/selection.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Select } from '../../components/ui/input.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { AddUsersDialog } from '../../features/admin-users/add-users-dialog.tsx'
import { type BulkUserAction, BulkUserDialog, BulkUserMenu } from '../../features/admin-users/bulk-user-menu.tsx'
import { changeUser } from '../../features/admin-users/user-changes.ts'
import {
  BanDialog,
  DeleteUserDialog,
  EndSessionsDialog,
  RemoveFactorDialog,
  ResetPasswordDialog,
} from '../../features/admin-users/user-dialogs.tsx'
import { UserForm } from '../../features/admin-users/user-form.tsx'
import { type UserTask, userTable, useUserColumns } from '../../features/admin-users/user-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useQueryChoice } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'

const roleChoices = ['any', ...roles] as const
const activeChoices = ['any', 'true', 'false'] as const

export function Route() {
  const { t } = useTranslation(['admin-users', 'common', 'editing'])
  const { profile } = useSession()
  const [adding, setAdding] = useState(false)
  const [open, setOpen] = useState<Readonly<{ task: UserTask; user: AdminUser }>>()
  const [bulkAction, setBulkAction] = useState<BulkUserAction>()
  const role = useQueryChoice('role', roleChoices)
  const active = useQueryChoice('active', activeChoices)
  const game = useGameFilter()
  const query = useListQuery(userOrders, {
    role: role.value === 'any' ? undefined : role.value,
    active: active.value === 'any' ? undefined : active.value === 'true',
    game: game.id,
  })
  const read = useCall(ownOperations.findUsers, { query: query.query }, { keepPreviousData: true })
  // An action on many users skips the account of the admin who runs it.
  const selection = useRowSelection(read.data?.data.filter(({ id }) => id !== profile?.userId) ?? [], userTable.keyOf)
  const close = () => setOpen(undefined)

  const change = useAction(async (user: AdminUser, body: AdminUserUpdate, title: string) => {
    await changeUser(user, body)
    showToast({ tone: 'ok', title })
  })
  const onTask = (task: UserTask, user: AdminUser) => {
    const name = user.userName ?? ''
    if (task === 'activate') void change.run(user, { emailConfirmed: true }, t('activated', { name }))
    else if (task === 'unban') void change.run(user, { role: 'User' }, t('unbanned', { name }))
    else setOpen({ task, user })
  }
  const columns = useUserColumns(profile?.userId, onTask)
  return (
    <PageLayout title={t('title')} hideTitle>
      <AdminList
        {...userTable}
        {...{ read, query, selection, columns }}
        label={t('table')}
        search={{ label: t('search'), hint: t('searchHint') }}
        count={t('count', { count: read.data?.total ?? 0, number: formatNumber(read.data?.total ?? 0) })}
        actions={
          <Button variant="primary" onClick={() => setAdding(true)}>
            <UserPlus aria-hidden />
            {t('add')}
          </Button>
        }
        filters={
          <>
            <Select
              aria-label={t('filterRole')}
              value={role.value}
              onValueChange={role.setValue}
              options={roleChoices.map((value) => ({
                value,
                label: value === 'any' ? t('anyRole') : t(`common:role.${value}`),
              }))}
            />
            <Select
              aria-label={t('filterState')}
              value={active.value}
              onValueChange={active.setValue}
              options={[
                { value: 'any', label: t('anyState') },
                { value: 'true', label: t('stateActive') },
                { value: 'false', label: t('unconfirmed') },
              ]}
            />
            <GameFilter label={t('filterGame')} anyLabel={t('anyGame')} filter={game} />
          </>
        }
        failure={change.error}
        none={{ icon: UserSearch, title: t('noneTitle'), text: t('noneText'), clear: t('clear') }}
        selectionName={({ userName }) => userName ?? ''}
        bulk={<BulkUserMenu onChoose={setBulkAction} />}
      />
      {bulkAction && (
        <BulkUserDialog
          users={selection.chosen}
          action={bulkAction}
          onClose={(done) => {
            selection.drop(done)
            setBulkAction(undefined)
          }}
        />
      )}
      {adding && <AddUsersDialog onClose={() => setAdding(false)} />}
      {open?.task === 'edit' && <UserForm user={open.user} isOwn={open.user.id === profile?.userId} onClose={close} />}
      {open?.task === 'ban' && <BanDialog user={open.user} onClose={close} />}
      {open?.task === 'reset' && <ResetPasswordDialog user={open.user} onClose={close} />}
      {open?.task === 'end-sessions' && <EndSessionsDialog user={open.user} onClose={close} />}
      {open?.task === 'remove-factor' && <RemoveFactorDialog user={open.user} onClose={close} />}
      {open?.task === 'delete' && <DeleteUserDialog user={open.user} onClose={close} />}
    </PageLayout>
  )
}
