import type { AdminUser, AdminUserUpdate } from '@capstan/contract/admin'
import { Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { UserPlus, UserSearch } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Page } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState, ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { toast } from '../../components/ui/toast.ts'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { BulkDialog } from '../../features/admin-users/bulk-dialog.tsx'
import { changeUser } from '../../features/admin-users/user-changes.ts'
import { BanDialog, DeleteUserDialog, ResetPasswordDialog } from '../../features/admin-users/user-dialogs.tsx'
import { UserForm } from '../../features/admin-users/user-form.tsx'
import { UserTable, type UserTask } from '../../features/admin-users/user-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useQueryPage, useQuerySearch } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'

const pageSize = 50

export function Route() {
  const { t } = useTranslation('admin-users')
  const { profile } = useSession()
  const { page, setPage } = useQueryPage()
  const search = useQuerySearch()
  const [adding, setAdding] = useState(false)
  const [open, setOpen] = useState<{ readonly task: UserTask; readonly user: AdminUser }>()
  const isSearch = search.settled !== ''
  const listed = useCall(operations.listUsers, isSearch ? null : { query: { count: pageSize, skip: page * pageSize } }, {
    keepPreviousData: true,
  })
  const found = useCall(operations.searchUsers, isSearch ? { query: { hint: search.settled } } : null, {
    keepPreviousData: true,
  })
  const { data, error, mutate } = isSearch ? found : listed
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
                {isSearch && data.data.length >= Limits.searchHits
                  ? t('hits', { number: formatNumber(data.data.length) })
                  : t('count', { count: data.total, number: formatNumber(data.total) })}
              </span>
            )}
            <Button variant="primary" onClick={() => setAdding(true)}>
              <UserPlus aria-hidden />
              {t('add')}
            </Button>
          </>
        }
      />
      {change.error !== undefined && (
        <FieldError>
          <ErrorText error={change.error} />
        </FieldError>
      )}
      {!data && !error && <TableSkeleton columns={['70%', '80%', '48px', '64px', '90px', '60px']} />}
      {!data && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {data?.data.length === 0 && (
        <EmptyState
          icon={UserSearch}
          title={t('noneTitle')}
          actions={<Button onClick={() => search.setTyped('')}>{t('clear')}</Button>}
        >
          {t('noneText')}
        </EmptyState>
      )}
      {data && data.data.length > 0 && (
        <div className="stack">
          <UserTable users={data.data} ownId={profile?.userId} onTask={onTask} />
          {!isSearch && data.total > pageSize && (
            <Pagination page={page} pageSize={pageSize} total={data.total} itemsShown={data.data.length} onPageChange={setPage} />
          )}
        </div>
      )}
      {adding && <BulkDialog onClose={() => setAdding(false)} />}
      {open?.task === 'edit' && <UserForm user={open.user} isOwn={open.user.id === profile?.userId} onClose={close} />}
      {open?.task === 'ban' && <BanDialog user={open.user} onClose={close} />}
      {open?.task === 'reset' && <ResetPasswordDialog user={open.user} onClose={close} />}
      {open?.task === 'delete' && <DeleteUserDialog user={open.user} onClose={close} />}
    </Page>
  )
}
