import { Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { SearchX, UsersRound } from 'lucide-react'
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
import { changeTeam } from '../../features/admin-teams/team-changes.ts'
import { DeleteTeamDialog, TeamForm } from '../../features/admin-teams/team-dialogs.tsx'
import { TeamTable, type TeamTask } from '../../features/admin-teams/team-table.tsx'
import { errorTitle } from '../../lib/error-title.ts'
import { formatNumber } from '../../lib/format.ts'
import { useQueryPage, useQuerySearch } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'

const pageSize = 50

export function Route() {
  const { t } = useTranslation(['admin-teams', 'common'])
  const { page, setPage } = useQueryPage()
  const search = useQuerySearch()
  const [open, setOpen] = useState<{ readonly task: TeamTask; readonly team: TeamInfo }>()
  const isSearch = search.settled !== ''
  const listed = useCall(operations.listTeams, isSearch ? null : { query: { count: pageSize, skip: page * pageSize } }, {
    keepPreviousData: true,
  })
  const found = useCall(operations.searchTeams, isSearch ? { query: { hint: search.settled } } : null, {
    keepPreviousData: true,
  })
  const { data, error, mutate } = isSearch ? found : listed
  const close = () => setOpen(undefined)

  const setLock = useAction(async (team: TeamInfo, locked: boolean) => {
    const name = team.name ?? ''
    await changeTeam(team, { locked })
    toast({
      tone: 'ok',
      title: t(locked ? 'admin-teams:lockedToast' : 'admin-teams:unlockedToast', { name }),
      action: {
        label: t('common:action.undo'),
        run: () =>
          void changeTeam(team, { locked: !locked }).catch((error: unknown) => toast({ tone: 'bad', title: errorTitle(error) })),
      },
    })
  })
  const onTask = (task: TeamTask, team: TeamInfo) => {
    if (task === 'lock' || task === 'unlock') void setLock.run(team, task === 'lock')
    else setOpen({ task, team })
  }

  return (
    <Page title={t('admin-teams:title')} hideTitle>
      <Toolbar
        search={
          <SearchInput
            label={t('admin-teams:search')}
            placeholder={t('admin-teams:searchHint')}
            value={search.typed}
            onValueChange={search.setTyped}
          />
        }
        end={
          data && (
            <span className="small muted number" role="status">
              {isSearch && data.data.length >= Limits.searchHits
                ? t('admin-teams:hits', { number: formatNumber(data.data.length) })
                : t('admin-teams:count', { count: data.total, number: formatNumber(data.total) })}
            </span>
          )
        }
      />
      {setLock.error !== undefined && (
        <FieldError>
          <ErrorText error={setLock.error} />
        </FieldError>
      )}
      {!data && !error && <TableSkeleton columns={['60%', '24px', '60%', '70%', '56px', '60px']} />}
      {!data && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {data?.data.length === 0 &&
        (isSearch ? (
          <EmptyState
            icon={SearchX}
            title={t('admin-teams:noneTitle')}
            actions={<Button onClick={() => search.setTyped('')}>{t('admin-teams:clear')}</Button>}
          >
            {t('admin-teams:noneText')}
          </EmptyState>
        ) : (
          <EmptyState icon={UsersRound} title={t('admin-teams:emptyTitle')}>
            {t('admin-teams:emptyText')}
          </EmptyState>
        ))}
      {data && data.data.length > 0 && (
        <div className="stack">
          <TeamTable teams={data.data} onTask={onTask} />
          {!isSearch && data.total > pageSize && (
            <Pagination page={page} pageSize={pageSize} total={data.total} itemsShown={data.data.length} onPageChange={setPage} />
          )}
        </div>
      )}
      {open?.task === 'edit' && <TeamForm team={open.team} onClose={close} />}
      {open?.task === 'delete' && <DeleteTeamDialog team={open.team} onClose={close} />}
    </Page>
  )
}
