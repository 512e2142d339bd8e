import { type AdminUser, type AdminUserUpdate, userOrders } from '@capstan/contract/admin'
import { ownOperations } from '@capstan/contract/operations'
import { roles } from '@capstan/contract/roles'
import { UserPlus, UserSearch } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GameFilter, useGameFilter } from '../../components/editing/game-filter.tsx'
import { OrderOnPhone } from '../../components/editing/order-on-phone.tsx'
import { ChosenBar, useSelection } from '../../components/editing/selection.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { SearchInput, Select } from '../../components/ui/input.tsx'
import { EmptyState, ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { BulkDialog } from '../../features/admin-users/bulk-dialog.tsx'
import { type ManyUsers, ManyUsersDialog, ManyUsersMenu } from '../../features/admin-users/many-users.tsx'
import { changeUser } from '../../features/admin-users/user-changes.ts'
import { BanDialog, DeleteUserDialog, ResetPasswordDialog } from '../../features/admin-users/user-dialogs.tsx'
import { UserForm } from '../../features/admin-users/user-form.tsx'
import { UserTable, type UserTask } from '../../features/admin-users/user-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useQueryChoice, useQueryOrder, useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'

const pageSize = 50
const roleChoices = ['any', ...roles] as const
const activeChoices = ['any', 'true', 'false'] as const

export function Route() {
  const { t } = useTranslation(['admin-users', 'common', 'editing'])
  const { profile } = useSession()
  const { page, setPage } = useQueryPage()
  const search = useQuerySearch()
  const { set: setQuery } = useQueryState()
  const [adding, setAdding] = useState(false)
  const [open, setOpen] = useState<{ readonly task: UserTask; readonly user: AdminUser }>()
  const order = useQueryOrder(userOrders)
  const role = useQueryChoice('role', roleChoices)
  const active = useQueryChoice('active', activeChoices)
  const game = useGameFilter()
  const { data, error, mutate } = useCall(
    ownOperations.findUsers,
    {
      query: {
        ...(search.settled !== '' && { hint: search.settled }),
        ...(role.value !== 'any' && { role: role.value }),
        ...(active.value !== 'any' && { active: active.value === 'true' }),
        ...(game.id !== undefined && { game: game.id }),
        ...{ sort: order.by, descending: order.descending, count: pageSize, skip: page * pageSize },
      },
    },
    { keepPreviousData: true },
  )
  const rows = data?.data
  const [many, setMany] = useState<ManyUsers>()
  // The current user's account is excluded from mass actions.
  const selection = useSelection(
    (rows ?? []).filter(({ id }) => id !== profile?.userId),
    ({ id }) => id,
  )
  const clear = () => {
    search.setTyped('')
    setQuery({ q: undefined, role: undefined, active: undefined, game: undefined, page: undefined })
  }
  const close = () => setOpen(undefined)

  const change = useAction(async (user: AdminUser, body: AdminUserUpdate, title: string) => {
    await changeUser(user, body)
    toast({ tone: 'ok', title })
  })
  const onTask = (task: UserTask, user: AdminUser) => {
    const name = user.userName ?? ''
    if (task === 'activate') void change.run(user, { emailConfirmed: true }, t('activated', { name }))
    else if (task === 'unban') void change.run(user, { role: 'User' }, t('unbanned', { name }))
    else setOpen({ task, user })
  }

  return (
    <Page title={t('title')} hideTitle>
      <Toolbar
        search={
          <SearchInput label={t('search')} placeholder={t('searchHint')} value={search.typed} onValueChange={search.setTyped} />
        }
        end={
          <>
            {data && (
              <span className="small muted number" role="status">
                {t('count', { count: data.total, number: formatNumber(data.total) })}
              </span>
            )}
            <Button variant="primary" onClick={() => setAdding(true)}>
              <UserPlus aria-hidden />
              {t('add')}
            </Button>
          </>
        }
      >
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
        <OrderOnPhone
          order={order}
          options={[
            ['registered', t('column.registered')],
            ['name', t('column.user')],
            ['email', t('column.email')],
            ['role', t('column.role')],
            ['number', t('column.number')],
            ['visited', t('column.visit')],
          ]}
        />
      </Toolbar>
      {change.error !== undefined && (
        <FieldError>
          <ErrorText error={change.error} />
        </FieldError>
      )}
      <UserTable
        ownId={profile?.userId}
        order={order}
        selected={selection.keys}
        onSelect={selection.select}
        onTask={onTask}
        rows={rows}
        error={error}
        onRetry={() => mutate()}
        empty={
          <EmptyState icon={UserSearch} title={t('noneTitle')} actions={<Button onClick={clear}>{t('clear')}</Button>}>
            {t('noneText')}
          </EmptyState>
        }
        paging={
          data && data.total > pageSize
            ? { page, pageSize, total: data.total, itemsShown: data.data.length, onPageChange: setPage }
            : undefined
        }
      />
      <ChosenBar selection={selection}>
        <ManyUsersMenu onChoose={setMany} />
      </ChosenBar>
      {many && (
        <ManyUsersDialog
          users={selection.chosen}
          many={many}
          onClose={(done) => {
            selection.drop(done)
            setMany(undefined)
          }}
        />
      )}
      {adding && <BulkDialog onClose={() => setAdding(false)} />}
      {open?.task === 'edit' && <UserForm user={open.user} isOwn={open.user.id === profile?.userId} onClose={close} />}
      {open?.task === 'ban' && <BanDialog user={open.user} onClose={close} />}
      {open?.task === 'reset' && <ResetPasswordDialog user={open.user} onClose={close} />}
      {open?.task === 'delete' && <DeleteUserDialog user={open.user} onClose={close} />}
    </Page>
  )
}
